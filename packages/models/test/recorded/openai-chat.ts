import type { Expected } from './types.ts';

export const openaiChatRecordings: { [name: string]: Expected } = {
  'azure-model-router': { stop: 'end', tokens: [15, 0, 78, 64], parts: ['Capital of Denmark.'] },
  'deepseek-tool-call': {
    stop: 'tool_calls',
    tokens: [19, 320, 83, 39],
    parts: ['The user is asking for the weather', { tool: 'weather', input: { location: 'San Francisco' } }],
  },
  'groq-tool-call': { stop: 'tool_calls', tokens: [210, 0, 15, 0], parts: [{ tool: 'weather', input: {} }] },
  'mistral-incremental-tool-call': {
    stop: 'tool_calls',
    tokens: [43, 128, 14, 0],
    parts: [{ tool: 'webSearchTool', input: { query: 'current Berlin weather' } }],
  },
  'moonshotai-stream': { stop: 'end', tokens: [9, 0, 12, 7], parts: ['Thinking aloud. ', 'Hello!'] },
  'xai-tool-call': {
    stop: 'tool_calls',
    // This provider counts reasoning beside the completion's tokens, not in them.
    tokens: [1, 290, 222, 196],
    parts: ['First, the user is', { tool: 'weather', input: { location: 'San Francisco' } }],
  },
};
