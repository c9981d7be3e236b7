import { describe, expect, it } from 'vitest';
import { transcribe } from '../../src/readers/transcript.ts';
import { eventOf, fakeHost, fakeModel, fakeTool } from './support.ts';

const origin = { user: 'ann', channel: 'mail', workflow: { slug: 'garden', step: 'water' } };
const metadata = { ticket: '7' };

describe('S7: for whom a session works', () => {
  it('stands in its view, its approvals, its list and its transcript, and stays with a fork', async () => {
    const deed = fakeTool('deed', async () => ({ content: 'Done.' }), { effect: 'write' });
    const host = fakeHost(fakeModel([{ tool: 'deed' }]), { tools: [deed] });
    const session = await host.create({ cwd: '/tmp', isAttended: true, origin, metadata });
    const run = session.run('Go.');
    expect((await eventOf(session, 'approval.requested')).data).toMatchObject({ origin, metadata });
    const view = await session.view();
    expect(view).toMatchObject({ origin, metadata });
    expect(view.approvals[0]).toMatchObject({ origin, metadata });
    await session.approve('t1_s1_c1');
    await run;
    const fork = await host.fork(session.id);
    expect(await host.view(fork.session)).toMatchObject({ origin, metadata });
    expect(await host.list()).toEqual([
      expect.objectContaining({ origin, metadata }),
      expect.objectContaining({ origin, metadata }),
    ]);
    expect(transcribe(await host.read(fork.session))).toMatchObject({ origin, metadata });
  });

  it('is nobody where nobody said, and no approval speaks of it', async () => {
    const deed = fakeTool('deed', async () => ({ content: 'Done.' }), { effect: 'write' });
    const session = await fakeHost(fakeModel([{ tool: 'deed' }]), { tools: [deed] }).create({
      cwd: '/tmp',
      isAttended: true,
    });
    session.send('Go.');
    const { data } = await eventOf(session, 'approval.requested');
    expect(Object.keys(data)).not.toContain('origin');
    expect(await session.view()).toMatchObject({ origin: {}, metadata: {} });
  });
});
