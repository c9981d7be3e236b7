import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import type { ToolOutcome } from '../../src/index.ts';
import { collect, eventOf, fakeHost, fakeModel, fakeTool, gate, hastyClock, ofType } from './support.ts';

const done = fakeTool('done', async () => ({ content: 'The turn ends here.', endsTurn: 'All done.' }));
const deed = fakeTool('deed', async () => ({ content: 'Done.' }), { effect: 'write', approval: () => false });
const shell = (run: (command: string) => Promise<ToolOutcome>) =>
  fakeTool('bash', async ({ command }) => run(String(command)), { effect: 'external' });

const work = [{ tool: 'deed' }];
const end = [{ tool: 'done' }];

describe('E14: the check of a person', () => {
  it('runs by the shell tool without asking, though every other command would ask', async () => {
    const commands: string[] = [];
    const bash = shell(async (command) => {
      commands.push(command);
      return commands.length === 1 ? { content: '1 failed', isError: true } : { content: 'all pass' };
    });
    const model = fakeModel(work, end, work, end);
    const session = await fakeHost(model, { tools: [done, deed, bash] }).create({ cwd: '/tmp' });
    const events = await collect(session.send('Mend it.', { target: { verify: 'npm test' } }));
    expect(commands).toEqual(['npm test', 'npm test']);
    expect(ofType(events, 'loop.verified').map(({ data }) => data.ok)).toEqual([false, true]);
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain('1 failed');
    expect(ofType(events, 'turn.ended')[0]?.data).toMatchObject({ outcome: 'completed', message: 'All done.' });
    expect(ofType(events, 'approval.requested')).toEqual([]);
    expect(model.requests[0]?.tail).toContain('npm test');
  });

  it('does not run against a deny, and the turn says so', async () => {
    const bash = shell(async () => {
      throw new Error('It ran.');
    });
    const rules = [{ name: 'managed', rules: { deny: ['bash(npm *)'], ask: [], allow: [] } }];
    const host = fakeHost(fakeModel(work, end), { tools: [done, deed, bash], rules });
    const session = await host.create({ cwd: '/tmp' });
    const ended = await session.run('Mend it.', { target: { verify: 'npm test' } });
    expect(ended).toMatchObject({ outcome: 'blocked', message: expect.stringContaining('cannot be run') });
  });

  it('is not there without a shell, and the turn says so', async () => {
    const session = await fakeHost(fakeModel(end), { tools: [done] }).create({ cwd: '/tmp' });
    const ended = await session.run('Mend it.', { target: { verify: 'npm test' } });
    expect(ended).toMatchObject({ outcome: 'blocked', message: expect.stringContaining('no tool "bash"') });
  });

  it('runs again when its process is gone, and the turn ends once (E18)', async () => {
    const log = memoryLog();
    const begun = gate();
    const hanging = shell(async () => {
      begun.resolve();
      return new Promise<never>(() => undefined);
    });
    const first = fakeHost(fakeModel(work, end), { log, clock: hastyClock, tools: [done, deed, hanging] });
    const before = await first.create({ cwd: '/tmp', id: 's' });
    before.send('Mend it.', { target: { verify: 'npm test' } });
    await begun.promise;
    await first.close();

    const second = fakeHost(fakeModel(), { log, tools: [done, deed, shell(async () => ({ content: 'all pass' }))] });
    const session = await second.open('s');
    expect((await eventOf(session, 'turn.ended')).data).toMatchObject({ outcome: 'completed' });
    const events = await second.read('s');
    expect(events.filter(({ type }) => type === 'loop.verified')).toHaveLength(1);
  });
});
