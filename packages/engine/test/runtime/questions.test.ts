import type { Question } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import { collect, echo, eventOf, fakeHost, fakeModel, fakeTool, gate, hastyClock, ofType } from './support.ts';

const colour: Question = {
  header: 'Colour',
  text: 'Which colour?',
  options: [{ label: 'red' }, { label: 'blue' }],
  isMultiple: false,
  takesText: true,
};
/** Asks what it is told to, and says what came of it. */
const asker = (questions: readonly Question[] = [colour]) =>
  fakeTool('ask', async (_, { replies }) => ({ content: JSON.stringify(replies) }), {
    plan: async () => ({ questions }),
  });

describe('P7: a question of a tool', () => {
  it('reaches the person, and their answer reaches the tool and then the model', async () => {
    const model = fakeModel([{ tool: 'ask' }]);
    const session = await fakeHost(model, { tools: [asker()] }).create({ cwd: '/w', isAttended: true });
    const events = collect(session.send('Go.'));
    const { data } = await eventOf(session, 'question.asked');
    expect((await session.view()).status).toBe('awaiting_answer');
    await session.answer(data.call, [{ choices: ['blue'], text: 'but dark' }]);
    const [finished] = ofType(await events, 'tool.finished');
    expect(JSON.parse(finished?.data.content ?? '')).toEqual({
      outcome: 'answered',
      answers: [{ choices: ['blue'], text: 'but dark' }],
    });
    expect(ofType(await events, 'question.answered')[0]?.by).toMatchObject({ kind: 'human', id: 'local' });
  });

  it('that was open when the program ended is open in the next one, and answered there (scenario 5)', async () => {
    const log = memoryLog();
    const first = fakeHost(fakeModel([{ tool: 'ask' }]), { log, tools: [asker()] });
    const before = await first.create({ id: 's', cwd: '/w', isAttended: true });
    await before.command('input.send', { content: [{ type: 'text', text: 'Go.' }] });
    const { data } = await eventOf(before, 'question.asked');
    await first.close();
    const second = fakeHost(fakeModel(), { log, tools: [asker()] });
    const after = await second.open('s');
    expect((await after.view()).questions).toEqual([data]);
    await after.answer(data.call, [{ choices: ['red'] }]);
    const { data: ended } = await eventOf(after, 'turn.ended');
    expect(ended.outcome).toBe('completed');
  });

  it('is not lost when its answer comes before anybody listens (scenario 11)', async () => {
    const log = memoryLog();
    const first = fakeHost(fakeModel([{ tool: 'ask' }]), { log, tools: [asker()] });
    const before = await first.create({ id: 's', cwd: '/w', isAttended: true });
    await before.command('input.send', { content: [{ type: 'text', text: 'Go.' }] });
    const { data, seq } = await eventOf(before, 'question.asked');
    await first.close();
    // The answer is in the log, and whoever would have waited for it is gone.
    const by = { kind: 'human' as const, id: 'ann', command: 'c1', digest: 'd1' };
    const answered = { call: data.call, outcome: 'answered' as const, answers: [{ choices: ['red'] }] };
    await log.append('s', seq, [{ seq: seq + 1, at: 1, session: 's', type: 'question.answered', data: answered, by }]);
    const model = fakeModel();
    const after = await fakeHost(model, { log, tools: [asker()] }).open('s');
    await eventOf(after, 'turn.ended');
    expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain('answered');
    expect(ofType(await collectLog(log), 'question.answered')).toHaveLength(1);
  });

  it('is answered once, however many answer at the same time (scenario 12)', async () => {
    const host = fakeHost(fakeModel([{ tool: 'ask' }]), { tools: [asker()] });
    const session = await host.create({ cwd: '/w', isAttended: true });
    const events = collect(session.send('Go.'));
    const { data } = await eventOf(session, 'question.asked');
    const others = await Promise.all(
      ['ann', 'bob', 'eve'].map((id) => host.client({ kind: 'human', id }).open(session.id)),
    );
    const answers = await Promise.allSettled(
      others.map((other, index) => other.answer(data.call, [{ choices: [index === 0 ? 'red' : 'blue'] }])),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(answers.filter((one) => one.status === 'rejected' && one.reason.code === 'already_answered')).toHaveLength(
      2,
    );
    expect(ofType(await events, 'question.answered')).toHaveLength(1);
  });

  it('is answered by its default when its time is up', async () => {
    const questions = [{ ...colour, default: { choices: ['red'] } }];
    const host = fakeHost(fakeModel([{ tool: 'ask' }]), { tools: [asker(questions)], clock: hastyClock });
    const session = await host.create({ cwd: '/w', isAttended: true });
    const [finished] = ofType(await collect(session.send('Go.')), 'tool.finished');
    expect(finished?.data.content).toContain('"outcome":"timeout"');
  });

  it('of a tool that does not know how to ask is the tool’s mistake, and harms nothing', async () => {
    const wrong: unknown[] = [
      'Which?',
      [{}],
      [{ ...colour, options: 'red' }],
      [{ ...colour, header: ' ' }],
      [{ ...colour, options: [{ label: 'red' }, { label: 'red' }] }],
      [{ ...colour, options: [{ label: 1 }] }],
      [{ ...colour, options: [], takesText: false }],
      [{ ...colour, default: { choices: ['green'] } }],
      Array(9).fill(colour),
    ];
    for (const questions of wrong) {
      const tool = asker(questions as Question[]);
      const session = await fakeHost(fakeModel([{ tool: 'ask' }]), { tools: [tool] }).create({
        cwd: '/w',
        isAttended: true,
      });
      const events = await collect(session.send('Go.'));
      expect(ofType(events, 'tool.finished')).toMatchObject([{ data: { status: 'error' } }]);
      expect(ofType(events, 'question.asked')).toEqual([]);
    }
  });

  it('is put before its call is run early, however soon the answer of the model tells of it (rule 7)', async () => {
    let runs = 0;
    const whole = gate();
    const tool = fakeTool('ask', async () => ({ content: String(++runs) }), {
      plan: async () => ({ questions: [colour] }),
    });
    const model = fakeModel(async function* () {
      yield { type: 'input_complete', call: 1, tool: 'ask', input: {} };
      await whole.promise;
      yield {
        type: 'finished',
        message: {
          content: [{ type: 'tool_call', tool: 'ask', input: {} }],
          stopReason: 'tool_calls',
          usage: {
            inputTokens: 1,
            outputTokens: 1,
            cacheReadTokens: 0,
            cacheWriteTokens: 0,
            cacheWriteHourTokens: 0,
            reasoningTokens: 0,
          },
          costUsd: 0,
        },
      };
    });
    const session = await fakeHost(model, { tools: [tool] }).create({ cwd: '/w', isAttended: true });
    const events = collect(session.send('Go.'));
    await eventOf(session, 'stream.started');
    whole.resolve();
    const { data } = await eventOf(session, 'question.asked');
    expect(runs).toBe(0);
    await session.answer(data.call, [{ choices: ['red'] }]);
    await events;
    expect(runs).toBe(1);
  });
});

describe('P5: an approval for a group', () => {
  const deploy = fakeTool('deploy', async () => ({ content: 'done' }), { effect: 'external' });
  const approvers = {
    groups: { ops: ['ann', 'bob'], all: ['*'] },
    routes: [
      { rule: 'deploy(prod*)', group: 'ops' },
      { rule: 'deploy', group: 'all' },
    ],
  };

  it('goes to the first group whose rule fits, is shown to each of them, and withdrawn when one has answered', async () => {
    const model = fakeModel(
      [{ tool: 'deploy', input: { to: 'production' } }],
      [{ tool: 'deploy', input: { to: 'test' } }],
    );
    const host = fakeHost(model, { tools: [deploy, echo], approvers });
    const session = await host.create({ cwd: '/w', isAttended: true });
    const events = collect(session.send('Go.'));
    const members = await Promise.all(['ann', 'bob'].map((id) => host.client({ kind: 'human', id }).open(session.id)));
    const seen = await Promise.all(members.map((member) => eventOf(member, 'approval.requested')));
    expect(seen.map(({ data }) => data.approvers)).toEqual([
      { group: 'ops', members: ['ann', 'bob'] },
      { group: 'ops', members: ['ann', 'bob'] },
    ]);
    const call = seen[0]?.data.call ?? '';
    await expect(session.approve(call)).rejects.toMatchObject({ code: 'not_an_approver' });
    await members[1]?.approve(call);
    for (const member of members) {
      expect(await eventOf(member, 'approval.resolved')).toMatchObject({
        by: { id: 'bob' },
        data: { decision: 'allow' },
      });
    }
    // The second call goes to the other group, in which everybody is.
    await expect.poll(async () => (await session.view()).approvals[0]?.approvers?.group).toBe('all');
    await session.approve((await session.view()).approvals[0]?.call ?? '');
    expect(ofType(await events, 'tool.finished').map(({ data }) => data.status)).toEqual(['ok', 'ok']);
  });

  it('does not ask where nothing else does: a route says who, not whether', async () => {
    const host = fakeHost(fakeModel([{ tool: 'deploy', input: { to: 'production' } }]), { tools: [deploy], approvers });
    const session = await host.create({ cwd: '/w', rules: { allow: ['deploy'] } });
    const events = await collect(session.send('Go.'));
    expect(ofType(events, 'approval.requested')).toEqual([]);
    expect(ofType(events, 'tool.finished')).toMatchObject([{ data: { status: 'ok' } }]);
  });

  it('that nobody could ever answer is refused when the host is made', () => {
    const lost = { groups: {}, routes: [{ rule: 'deploy', group: 'nobody' }] };
    expect(() => fakeHost(fakeModel(), { approvers: lost })).toThrow('nobody');
  });
});

describe('P3: a call that touches several things', () => {
  it('says which of them need the answer and which are allowed already', async () => {
    const tool = fakeTool('patch', async () => ({ content: 'done' }), {
      effect: 'write',
      subjectKind: 'path',
      paths: async () => ['/w/src/a', '/w/docs/b', '/w/docs/c'],
    });
    const host = fakeHost(fakeModel([{ tool: 'patch' }]), { tools: [tool] });
    const session = await host.create({ cwd: '/w', isAttended: true, rules: { allow: ['patch(docs/**)'] } });
    const events = collect(session.send('Go.'));
    const { data } = await eventOf(session, 'approval.requested');
    expect(data.parts?.map(({ text, verdict }) => `${verdict} ${text}`)).toEqual([
      'ask /w/src/a',
      'allow /w/docs/b',
      'allow /w/docs/c',
    ]);
    expect((await session.view()).approvals[0]?.parts).toEqual(data.parts);
    await session.deny(data.call);
    await events;
  });
});

describe('T6: a large set of tools', () => {
  const far = Array.from({ length: 60 }, (_, index) => fakeTool(`far_${index}`, async () => ({ content: 'here' })));
  const finder = fakeTool('list_tools', async ({ query }) => ({ content: 'found', offers: [String(query)] }), {
    findsTools: true,
  });
  const near = fakeTool('near', async () => ({ content: 'near' }), { isEssential: true });

  it('costs the prompt the names of most, and the description of what was looked for from the next step on', async () => {
    const model = fakeModel([{ tool: 'list_tools', input: { query: 'far_7' } }], [{ tool: 'far_7' }]);
    const session = await fakeHost(model, { tools: [...far, finder, near] }).create({ cwd: '/w' });
    await session.run('Go.');
    const [first, second, third] = model.requests;
    expect(first?.tools.map(({ name }) => name)).toEqual(['list_tools', 'near']);
    expect(first?.tools[0]?.description).toContain('far_59');
    expect(second?.tools.map(({ name }) => name)).toEqual(['far_7', 'list_tools', 'near']);
    // The prefix that a provider caches is the same until something is found.
    expect(third?.tools).toBe(second?.tools);
    expect(JSON.stringify(third?.messages)).toContain('here');
  });

  it('runs a call of a tool that was not described all the same', async () => {
    const model = fakeModel([{ tool: 'far_3' }]);
    const session = await fakeHost(model, { tools: [...far, finder] }).create({ cwd: '/w' });
    await session.run('Go.');
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('here');
  });

  it('is sent whole where nothing finds the others, and where it is not large', async () => {
    for (const tools of [far, [...far.slice(0, 39), finder]]) {
      const model = fakeModel();
      const session = await fakeHost(model, { tools }).create({ cwd: '/w' });
      await session.run('Go.');
      expect(model.requests[0]?.tools).toHaveLength(tools.length);
    }
  });
});

async function collectLog(log: ReturnType<typeof memoryLog>) {
  return log.read('s');
}
