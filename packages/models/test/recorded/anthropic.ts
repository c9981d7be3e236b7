import type { Expected } from './types.ts';

export const anthropicRecordings: { [name: string]: Expected } = {
  'anthropic-clear-thinking': {
    stop: 'end',
    tokens: [69, 0, 53, 0],
    parts: ['The previous result was 925. Now I need', '925 ÷ 5 = 185'],
  },
  'anthropic-code-execution-20250825': {
    stop: 'end',
    tokens: [8050, 0, 771, 0],
    parts: ["I'll create a Python script", "Now let's execute the script", 'Perfect! The script has been created'],
  },
  'anthropic-json-other-tool': {
    stop: 'tool_calls',
    tokens: [843, 0, 28, 0],
    parts: [{ tool: 'weather', input: { location: 'San Francisco' } }],
  },
  'anthropic-json-tool': {
    stop: 'tool_calls',
    tokens: [849, 0, 47, 0],
    parts: [
      {
        tool: 'json',
        input: { elements: [{ location: 'San Francisco', temperature: 58, condition: 'sunny' }] },
      },
    ],
  },
  'anthropic-message-delta-input-tokens': { stop: 'end', tokens: [61, 0, 2, 0], parts: ['pong'] },
  'anthropic-refusal': { stop: 'refusal', tokens: [18, 0, 5, 0], parts: ['This request triggered restrictions'] },
  'anthropic-text': { stop: 'end', tokens: [12, 0, 30, 0], parts: ["Hello! I'm doing well"] },
  'anthropic-tool-no-args': {
    stop: 'tool_calls',
    tokens: [565, 0, 48, 0],
    parts: ["I'll update the issue list for you.", { tool: 'updateIssueList', input: {} }],
  },
  'anthropic-web-search-tool': {
    stop: 'end',
    tokens: [15665, 0, 795, 0],
    parts: ['Based on my search results, here are the key tech news'],
  },
};
