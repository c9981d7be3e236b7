import { Agent, type AgentTool } from '@mariozechner/pi-agent-core';
import { type Model, Type } from '@mariozechner/pi-ai';
import { prompt, type Runner, systemPrompt } from '../runner.ts';

const parameters = Type.Object({ text: Type.String() });

export const runner: Runner = {
  label: '@mariozechner/pi-agent-core (Agent)',
  wire: 'anthropic',
  prepare: ({ baseUrl }) => {
    const model: Model<'anthropic-messages'> = {
      id: 'bench',
      name: 'bench',
      api: 'anthropic-messages',
      provider: 'anthropic',
      baseUrl,
      reasoning: false,
      input: ['text'],
      cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
      contextWindow: 10_000_000,
      maxTokens: 4096,
    };
    return async ({ delta, echo }) => {
      const tool: AgentTool<typeof parameters, null> = {
        name: 'echo',
        label: 'echo',
        description: 'Gives its text back.',
        parameters,
        execute: async (_id, { text }) => ({ content: [{ type: 'text', text: await echo(text) }], details: null }),
      };
      const agent = new Agent({ initialState: { systemPrompt, model, tools: [tool] }, getApiKey: () => 'key' });
      agent.subscribe((event) => {
        if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta') {
          delta(event.assistantMessageEvent.delta);
        }
      });
      await agent.prompt(prompt);
      if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
    };
  },
};
