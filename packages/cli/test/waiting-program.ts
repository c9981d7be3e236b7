/** A program that uses the library and has nothing to do but wait. What for is its argument. */
import { scriptedModel } from '@pawl/models/testing';
import {
  builtinAgents,
  builtinTools,
  createHost,
  type HostOptions,
  type Model,
  memoryLog,
  type SessionClient,
  type Tool,
} from 'pawl';

const never = new Promise<never>(() => undefined);
const deed: Tool = {
  name: 'deed',
  description: 'Asks first.',
  input: { type: 'object' },
  effect: 'write',
  run: async () => ({ content: 'done' }),
};
const hangs: Tool = {
  name: 'hangs',
  description: 'Never ends.',
  input: { type: 'object' },
  effect: 'read',
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};
const callsThenEnds = (tool: string, input = {}, id = 'scripted') =>
  scriptedModel([{ calls: [{ tool, input }] }, { text: 'Over.' }], { id });

const shortly = { limits: { approvalTimeoutMs: 200 } };
const open = async (model: Model, more: Partial<HostOptions> = {}, settings: object = {}) =>
  createHost({ log: memoryLog(), model, tools: [deed, hangs], ...more }).create({
    cwd: process.cwd(),
    isAttended: true,
    ...settings,
  });
const tell = async (session: SessionClient, options = {}) => {
  const { outcome } = await session.run('Go.', options);
  console.log(outcome);
};

/** What takes tasks has a model of its own. */
const agents = builtinAgents.map((agent) => ({ ...agent, model: 'child' }));

const situations: { [name: string]: () => Promise<void> } = {
  approval: async () => tell(await open(callsThenEnds('deed'), {}, shortly)),
  deadline: async () => tell(await open(callsThenEnds('hangs'), {}, { limits: { durationMs: 200 } })),
  retry: async () => {
    const answers = scriptedModel([{ text: 'never', after: never }, { text: 'Over.' }]);
    await tell(await open(answers), { requestTimeoutMs: 200 });
  },
  task: async () => {
    const parent = callsThenEnds('task', { prompt: 'Wait.' });
    const child = callsThenEnds('deed', {}, 'child');
    const settings = { ...shortly, rules: { deny: [], ask: [], allow: ['task'] } };
    await tell(await open(parent, { tools: [...builtinTools(), deed], agents, models: () => child }, settings));
    console.log(child.requests.length);
  },
  'approval seen in events': async () => {
    const session = await open(callsThenEnds('deed'), {}, shortly);
    await session.command('input.send', { content: [{ type: 'text', text: 'Go.' }] });
    for await (const event of session.events({ seq: 0 })) {
      if (event.type === 'turn.ended') console.log(event.data.outcome);
      if (event.type === 'turn.ended') break;
    }
  },
  'nobody waits': async () => {
    const session = await open(callsThenEnds('deed'));
    session.send('Go.');
    for await (const event of session.events({ seq: 0 })) if (event.type === 'approval.requested') break;
    console.log('left');
  },
  'nothing is owed': async () => {
    const session = await open(callsThenEnds('deed'));
    void (async () => {
      for await (const _ of session.events());
    })().catch(() => undefined);
    console.log('left');
  },
};

await situations[process.argv[2] ?? '']?.();
