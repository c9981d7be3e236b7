import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import { prompt, type Runner, systemPrompt } from '../runner.ts';

setTracingDisabled(true);

export const runner: Runner = {
  label: '@openai/agents (run, Chat Completions)',
  wire: 'openai-chat',
  prepare: ({ baseUrl, steps }) => {
    const client = new OpenAI({ apiKey: 'key', baseURL: `${baseUrl}/v1` });
    const model = new OpenAIChatCompletionsModel(client, 'bench');
    return async ({ delta, echo }) => {
      const agent = new Agent({
        name: 'bench',
        instructions: systemPrompt,
        model,
        tools: [
          tool({
            name: 'echo',
            description: 'Gives its text back.',
            parameters: z.object({ text: z.string() }),
            execute: async ({ text }) => echo(text),
          }),
        ],
      });
      const result = await run(agent, prompt, { stream: true, maxTurns: steps + 2 });
      for await (const event of result) {
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') delta(event.data.delta);
      }
      await result.completed;
    };
  },
};
