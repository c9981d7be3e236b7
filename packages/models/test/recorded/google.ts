import type { Expected } from './types.ts';

export const googleRecordings: { [name: string]: Expected } = {
  'google-reasoning-gemini3': {
    stop: 'end',
    tokens: [9, 0, 325, 302],
    parts: ['There are **3** "r"s in strawberry.\n\nSt**r**awbe**rr**y'],
  },
  'google-stream-no-args-tool-call': {
    stop: 'tool_calls',
    tokens: [249, 0, 241, 183],
    parts: [
      '**Processing User Requests**',
      { tool: 'read_theme', input: {} },
      { tool: 'read_screen', input: { id: 'A' } },
      { tool: 'read_screen', input: { id: 'B' } },
      { tool: 'read_screen', input: { id: 'C' } },
    ],
  },
  'google-stream-tool-call-arguments': {
    stop: 'tool_calls',
    tokens: [26, 0, 155, 132],
    parts: [
      { tool: 'getWeather', input: { location: 'Boston' } },
      { tool: 'getWeather', input: { location: 'San Francisco' } },
    ],
  },
  'google-text': {
    stop: 'end',
    tokens: [9, 0, 208, 185],
    parts: ['There are **3** "r"s in strawberry.\n\nst**r**awbe**rr**y'],
  },
  'google-tool-call-gemini3': {
    stop: 'tool_calls',
    tokens: [29, 0, 819, 804],
    parts: [{ tool: 'weather', input: { location: 'San Francisco' } }],
  },
};
