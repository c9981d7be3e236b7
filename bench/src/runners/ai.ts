import { createAnthropic } from '@ai-sdk/anthropic';
import { isStepCount, streamText, tool } from 'ai';
import { z } from 'zod';
import { prompt, type Runner, systemPrompt } from '../runner.ts';

export const runner: Runner = {
  label: 'ai (streamText)',
  wire: 'anthropic',
  prepare: ({ baseUrl, steps }) => {
    const model = createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey: 'key' })('bench');
    return async ({ delta, echo }) => {
      const result = streamText({
        model,
        instructions: systemPrompt,
        prompt,
        maxOutputTokens: 4096,
        stopWhen: isStepCount(steps + 2),
        tools: {
          echo: tool({
            description: 'Gives its text back.',
            inputSchema: z.object({ text: z.string() }),
            execute: ({ text }) => echo(text),
          }),
        },
      });
      for await (const part of result.stream) {
        if (part.type === 'text-delta') delta(part.text);
        else if (part.type === 'error') throw part.error;
      }
    };
  },
};
