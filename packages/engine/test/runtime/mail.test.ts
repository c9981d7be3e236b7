import type { DurableEvent, SessionClient } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import type { MailRules, SessionLog } from '../../src/index.ts';
import { eventOf, fakeHost, fakeModel, fakeTool, hastyClock } from './support.ts';

const tree: MailRules = { mayWrite: () => true, ownerOf: (session) => (session === 'task' ? 'owner' : null) };
const letter = { kind: 'blocked' as const, priority: 'urgent' as const, text: 'Which port?' };

async function received(session: SessionClient) {
  return (await eventOf(session, 'mail.received')).data;
}
const typesIn = async (host: { read(session: string): Promise<DurableEvent[]> }, session: string) =>
  (await host.read(session)).map(({ type }) => type);

describe('A3: mail between two sessions of a host', () => {
  it('is delivered once, opens a session that is not live, and wakes it', async () => {
    const host = fakeHost(fakeModel('I use 8080.'), { mail: tree });
    const task = await host.create({ cwd: '/tmp', id: 'task' });
    await host.create({ cwd: '/tmp', id: 'owner' });
    await task.command('mail.send', { to: 'owner', ...letter }, 'c1');
    await eventOf(task, 'mail.delivered');
    const owner = await host.open('owner');
    expect(await received(owner)).toMatchObject({ mail: 'task:c1', from: 'task', kind: 'blocked' });
    expect((await eventOf(owner, 'turn.ended')).data.outcome).toBe('completed');
    expect((await typesIn(host, 'owner')).filter((type) => type === 'mail.received')).toHaveLength(1);
    expect((await eventOf(owner, 'mail.acknowledged')).data).toEqual({ mail: 'task:c1', how: 'read' });
  });

  it('survives the end of the process between being sent and being delivered', async () => {
    const storage = memoryLog();
    const first = fakeHost(fakeModel(), {
      log: storage,
      mail: { ...tree, mayWrite: () => new Promise<never>(() => undefined) },
    });
    await first.create({ cwd: '/tmp', id: 'owner' });
    const task = await first.create({ cwd: '/tmp', id: 'task' });
    await task.command('mail.send', { to: 'owner', ...letter }, 'c1');
    await first.close();
    const second = fakeHost(fakeModel('I use 8080.'), { log: storage, mail: tree });
    await eventOf(await second.open('task'), 'mail.delivered');
    expect(await received(await second.open('owner'))).toMatchObject({ mail: 'task:c1', text: 'Which port?' });
  });

  it('that was accepted and not said to be is accepted no second time', async () => {
    const storage = memoryLog();
    let isCut = true;
    // The sender never learns that the first delivery came through.
    const log: SessionLog & typeof storage = {
      ...storage,
      append: (session, expectedSeq, events) => {
        if (isCut && events.some(({ type }) => type === 'mail.delivered')) {
          isCut = false;
          return Promise.reject(new PawlError('conflict', 'Somebody else.'));
        }
        return storage.append(session, expectedSeq, events);
      },
    };
    const host = fakeHost(fakeModel('Yes.'), { log, mail: tree });
    await host.create({ cwd: '/tmp', id: 'owner' });
    const task = await host.create({ cwd: '/tmp', id: 'task' });
    await task.command('mail.send', { to: 'owner', ...letter }, 'c1');
    for await (const event of host.watch('owner')) if (event.type === 'mail.received') break;
    await expect(eventOf(task, 'mail.delivered')).rejects.toMatchObject({ code: 'session_lost' });
    await eventOf(await host.open('task'), 'mail.delivered');
    expect((await typesIn(host, 'owner')).filter((type) => type === 'mail.received')).toHaveLength(1);
  });

  it('to a session that is gone is given up, and its sender is told', async () => {
    const host = fakeHost(fakeModel(), { mail: tree });
    const task = await host.create({ cwd: '/tmp', id: 'task' });
    await task.command('mail.send', { to: 'nobody', ...letter }, 'c1');
    expect((await eventOf(task, 'mail.failed')).data.message).toContain('There is no session nobody');
    const told = await eventOf(task, 'message.added');
    expect(JSON.stringify(told.data)).toContain('was not delivered');
  });

  it('to a session that another process drives is tried again until it is free', async () => {
    const log = memoryLog();
    const host = fakeHost(fakeModel('Yes.'), { log, mail: tree, clock: hastyClock });
    const other = fakeHost(fakeModel(), { log });
    await other.create({ cwd: '/tmp', id: 'owner' });
    const task = await host.create({ cwd: '/tmp', id: 'task' });
    await task.command('mail.send', { to: 'owner', ...letter }, 'c1');
    await eventOf(task, 'mail.delayed');
    await other.close();
    await eventOf(task, 'mail.delivered');
  });

  it('between sessions that are no family is refused, by a host without rules too', async () => {
    for (const mail of [undefined, { mayWrite: () => false }]) {
      const host = fakeHost(fakeModel(), mail === undefined ? {} : { mail });
      await host.create({ cwd: '/tmp', id: 'owner' });
      const task = await host.create({ cwd: '/tmp', id: 'task' });
      await task.command('mail.send', { to: 'owner', ...letter }, 'c1');
      expect((await eventOf(task, 'mail.failed')).data.message).toContain('task may not write to owner');
      expect(await typesIn(host, 'owner')).not.toContain('mail.received');
    }
  });

  it('shows tools who owns the session, for whom it works, and what came', async () => {
    const seen: unknown[] = [];
    const look = fakeTool('look', async (_, { mailbox, origin, metadata }) => {
      seen.push(mailbox?.owner, await mailbox?.problem({ ...letter, artifacts: [], to: 'task' }), origin, metadata);
      return { content: 'Seen.' };
    });
    const host = fakeHost(fakeModel([{ tool: 'look' }]), { mail: tree, tools: [look] });
    const origin = { user: 'ann', workflow: { slug: 'garden', step: 'water' } };
    const task = await host.create({ cwd: '/tmp', id: 'task', origin, metadata: { ticket: '7' } });
    await task.run('Look.');
    expect(seen).toEqual(['owner', expect.stringContaining('itself'), origin, { ticket: '7' }]);
  });
});
