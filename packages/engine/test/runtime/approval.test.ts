import { describe, expect, it } from 'vitest';
import { collect, eventOf, fakeHost, fakeModel, fakeTool, giving, hastyClock, ofType } from './support.ts';

const asking = (run: (input: unknown) => void = () => undefined) =>
  fakeTool('deed', async (input) => giving(run(input), { content: 'done' }), {
    effect: 'write',
    paths: async (input) => [`/w/${String(input.path ?? 'a')}`],
    plan: async (input) => ({ preview: { kind: 'diff', text: `+${String(input.text)}`, added: 1, removed: 0 } }),
  });

describe('an approval', () => {
  it('shows the preview before anything is done, and runs the call once allowed (P3)', async () => {
    let deeds = 0;
    const host = fakeHost(fakeModel([{ tool: 'deed', input: { text: 'x' } }]), { tools: [asking(() => deeds++)] });
    const session = await host.create({ cwd: '/w', isAttended: true });
    const result = session.run('Go.');
    const { data } = await eventOf(session, 'approval.requested');
    expect(data).toMatchObject({ tool: 'deed', preview: { text: '+x', added: 1 }, input: { text: 'x' } });
    expect([deeds, (await session.view()).status]).toEqual([0, 'awaiting_approval']);
    await session.approve(data.call);
    await result;
    expect(deeds).toBe(1);
  });

  it('is a denial at once where nobody is there to ask, and the turn says so (design §4)', async () => {
    let deeds = 0;
    const session = await fakeHost(fakeModel([{ tool: 'deed' }]), { tools: [asking(() => deeds++)] }).create({
      cwd: '/w',
    });
    expect(await session.run('Go.')).toMatchObject({ outcome: 'completed', unattendedDenials: 1 });
    expect(deeds).toBe(0);
  });

  it('that nobody answers in time is a timeout and not a refusal (P4)', async () => {
    const host = fakeHost(fakeModel([{ tool: 'deed' }]), { tools: [asking()], clock: hastyClock });
    const session = await host.create({ cwd: '/w', isAttended: true });
    const events = await collect(session.send('Go.'));
    expect(ofType(events, 'approval.resolved')).toMatchObject([
      { data: { decision: 'timeout' }, by: { kind: 'engine' } },
    ]);
    const [finished] = ofType(events, 'tool.finished');
    expect(finished?.data.status).toBe('denied');
    expect(finished?.data.content).toContain('not a refusal by the user');
  });

  it('judges edited arguments again, and a deny still denies them (P3)', async () => {
    const inputs: unknown[] = [];
    const tools = [asking((input) => inputs.push(input))];
    const host = fakeHost(
      fakeModel([
        { tool: 'deed', input: { path: 'a' } },
        { tool: 'deed', input: { path: 'b' } },
      ]),
      { tools },
    );
    const session = await host.create({ cwd: '/w', isAttended: true, rules: { deny: ['deed(secret)'] } });
    const result = session.run('Go.');
    // Rules match the subject; a tool without `subjectKind` is matched by its first text argument.
    const edited = new Set<string>();
    for await (const event of session.events({ seq: 0 })) {
      if (event.type === 'approval.requested') {
        const { call, input } = event.data;
        // What the edited arguments would do is shown before it is done.
        if (edited.has(call)) expect(input).toEqual({ path: 'better' });
        const path = edited.size === 0 ? 'secret' : 'better';
        await session.approve(call, edited.has(call) ? {} : { input: { path } });
        edited.add(call);
      }
      if (event.type === 'turn.ended') break;
    }
    await result;
    expect(inputs).toEqual([{ path: 'better' }]);
  });

  it('is given once: the first answer wins and both clients learn which (scenario 12)', async () => {
    const host = fakeHost(fakeModel([{ tool: 'deed' }]), { tools: [asking()] });
    const one = await host.create({ cwd: '/w', isAttended: true });
    const two = await host.client({ kind: 'human', id: 'two' }).open(one.id);
    const events = collect(one.send('Go.'));
    const { data } = await eventOf(one, 'approval.requested');
    const answers = await Promise.allSettled([one.approve(data.call), two.deny(data.call)]);
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected']);
    expect(ofType(await events, 'approval.resolved')).toMatchObject([
      { by: { id: 'local' }, data: { decision: 'allow' } },
    ]);
    expect(answers[1]).toMatchObject({ reason: { code: 'already_answered' } });
  });

  it('adds the rules that come with the answer, for the session', async () => {
    let deeds = 0;
    const model = fakeModel([{ tool: 'deed', input: { n: 'x' } }], [{ tool: 'deed', input: { n: 'x', m: 2 } }]);
    const session = await fakeHost(model, { tools: [asking(() => deeds++)] }).create({ cwd: '/w', isAttended: true });
    const result = session.run('Go.');
    const { data } = await eventOf(session, 'approval.requested');
    await session.approve(data.call, { rules: [{ list: 'allow', rule: 'deed' }] });
    expect(await result).toMatchObject({ outcome: 'completed' });
    expect([deeds, (await session.view()).rules.allow]).toEqual([2, ['deed']]);
  });
});

describe('calls that touch one path', () => {
  it('are judged one after another, each against what the one before left', async () => {
    const judgedAt: number[] = [];
    let deeds = 0;
    const tool = {
      ...asking(() => deeds++),
      approval: () => false,
      plan: async () => {
        judgedAt.push(deeds);
        return { preview: { kind: 'text' as const, text: '' } };
      },
    };
    const model = fakeModel([1, 2, 3].map((n) => ({ tool: 'deed', input: { path: 'same', n } })));
    const session = await fakeHost(model, { tools: [tool] }).create({ cwd: '/w' });
    const events = await collect(session.send('Go.'));
    expect(ofType(events, 'tool.judged')).toHaveLength(3);
    expect(judgedAt.slice(-2)).toEqual([1, 2]);
    expect(deeds).toBe(3);
  });

  it('go back to be judged when they are found outdated at the moment of acting', async () => {
    let plans = 0;
    const tool = {
      ...asking(),
      approval: () => false,
      plan: async () => ({ basis: String(++plans) }),
      run: async (_: unknown, { basis }: { basis: string | null }) => {
        if (basis === '1')
          throw Object.assign(new Error('The file changed.'), { [Symbol.for('pawl.error')]: true, code: 'outdated' });
        return { content: `ran on ${basis}` };
      },
    };
    const session = await fakeHost(fakeModel([{ tool: 'deed' }]), { tools: [tool] }).create({ cwd: '/w' });
    const events = await collect(session.send('Go.'));
    expect(ofType(events, 'tool.outdated')).toHaveLength(1);
    expect(ofType(events, 'tool.finished')).toMatchObject([{ data: { content: 'ran on 2' } }]);
  });
});
