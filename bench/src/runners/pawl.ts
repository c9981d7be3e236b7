import { join } from 'node:path';
import { createHost, type Tool } from '../../../packages/engine/src/index.ts';
import { anthropic } from '../../../packages/models/src/wires/anthropic/index.ts';
import type { SessionClient } from '../../../packages/protocol/src/index.ts';
import { sqliteLog } from '../../../packages/storage/src/index.ts';
import { prompt, type Runner, type Surroundings, systemPrompt, type Tallying } from '../runner.ts';

/** A host with the SQLite log on, as its README shows it. */
const open = ({ baseUrl, folder }: Surroundings) => {
  const tallyings = new Map<string, Tallying>();
  const echo: Tool = {
    name: 'echo',
    description: 'Gives its text back.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    effect: 'read',
    run: async ({ text }, { session }) => ({ content: (await tallyings.get(session)?.echo(String(text))) ?? '' }),
  };
  const log = sqliteLog({ path: join(folder, 'log.db') });
  const model = anthropic({ model: 'bench', apiKey: 'key', baseUrl, contextTokens: 10_000_000, maxOutputTokens: 4096 });
  return { log, tallyings, host: createHost({ log, model, tools: [echo], system: systemPrompt }) };
};

const drain = async (session: SessionClient, tallying?: Tallying): Promise<void> => {
  for await (const event of session.send(prompt)) {
    if (event.type === 'stream.text') tallying?.delta(event.data.text);
    else if (event.type === 'turn.ended' && event.data.outcome !== 'completed') {
      throw new Error(`The turn ended as ${JSON.stringify(event.data)}.`);
    }
  }
};

export const runner: Runner = {
  label: 'pawl (SQLite log on)',
  wire: 'anthropic',
  prepare: (surroundings) => {
    const { host, tallyings } = open(surroundings);
    return async (tallying) => {
      const session = await host.create({ cwd: surroundings.folder, limits: { steps: surroundings.steps + 1 } });
      tallyings.set(session.id, tallying);
      await drain(session, tallying);
    };
  },
  resume: {
    async fill(surroundings, events) {
      const { host, log } = open(surroundings);
      const session = await host.create({ cwd: surroundings.folder, limits: { steps: surroundings.steps + 1 } });
      let { seq } = await session.view();
      while (seq < events) {
        await drain(session);
        ({ seq } = await session.view());
      }
      await host.close();
      await log.close();
      return { session: session.id, events: seq };
    },
    async open(surroundings, id) {
      const session = await open(surroundings).host.open(id);
      return () => drain(session);
    },
  },
};
