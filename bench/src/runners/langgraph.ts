import { ChatAnthropic } from '@langchain/anthropic';
import { AIMessageChunk } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { prompt, type Runner, systemPrompt } from '../runner.ts';

export const runner: Runner = {
  label: '@langchain/langgraph (createReactAgent, no checkpointer)',
  wire: 'anthropic',
  prepare: ({ baseUrl, steps }) => {
    const llm = new ChatAnthropic({
      model: 'bench',
      apiKey: 'key',
      anthropicApiUrl: baseUrl,
      maxTokens: 4096,
      streaming: true,
    });
    return async ({ delta, echo }) => {
      const agent = createReactAgent({
        llm,
        prompt: systemPrompt,
        tools: [
          tool(({ text }: { text: string }) => echo(text), {
            name: 'echo',
            description: 'Gives its text back.',
            schema: z.object({ text: z.string() }),
          }),
        ],
      });
      const stream = await agent.stream(
        { messages: [{ role: 'user', content: prompt }] },
        { streamMode: 'messages', recursionLimit: 2 * steps + 10 },
      );
      for await (const [message] of stream) {
        if (message instanceof AIMessageChunk && message.text !== '') delta(message.text);
      }
    };
  },
};
