import type { Expected } from './types.ts';

export const openaiResponsesRecordings: { [name: string]: Expected } = {
  'lmstudio-tool-call': {
    stop: 'tool_calls',
    tokens: [180, 2, 61, 48],
    parts: [
      'The user is asking for the weather in San Francisco. I have',
      "I'll get the current weather information for San Francisco for you.",
      { tool: 'weather', input: { location: 'San Francisco' } },
    ],
  },
  // A tool that the provider defines, which Pawl does not ask for.
  'openai-apply-patch-tool': { stop: 'end', tokens: [642, 0, 67, 0], parts: [] },
  'openai-custom-tool': { stop: 'end', tokens: [50, 0, 20, 0], parts: [] },
  'openai-error': { error: 'quota_exceeded' },
  'openai-phase': {
    stop: 'end',
    tokens: [4040, 3072, 463, 64],
    parts: ['Got it — I’ll quickly check', 'Here are a few **AI headlines for today'],
  },
  'openai-reasoning-encrypted-content': {
    stop: 'tool_calls',
    tokens: [134, 0, 28, 0],
    parts: [
      "**Calculating step-by-step using calculator**\n\nI'll compute 12 plus 7",
      { tool: 'calculator', input: { a: 12, b: 7, op: 'add' } },
    ],
  },
  'openai-reasoning-encrypted-content 2': {
    stop: 'tool_calls',
    tokens: [221, 0, 26, 0],
    parts: [{ tool: 'calculator', input: { a: 19, b: 3, op: 'multiply' } }],
  },
  'openai-reasoning-encrypted-content 3': {
    stop: 'tool_calls',
    tokens: [260, 0, 26, 0],
    parts: [{ tool: 'calculator', input: { a: 57, b: 10, op: 'multiply' } }],
  },
  'openai-reasoning-encrypted-content 4': {
    stop: 'end',
    tokens: [299, 0, 12, 0],
    parts: ['The final result is **570**.'],
  },
  'openai-web-search-tool': {
    stop: 'end',
    tokens: [27_361, 3712, 4416, 3712],
    parts: ['I checked today’s tech headlines (today = December 5, 2025)'],
  },
  // Its first and last events lack their last brace.
  'parallel-tool-call-wrapper': {
    stop: 'tool_calls',
    tokens: [34, 0, 28, 0],
    parts: [
      { tool: 'weather', input: { location: 'San Francisco' } },
      { tool: 'cityAttractions', input: { city: 'Rome' } },
    ],
  },
};
