import { expect, it } from 'vitest';
import { agent, call, codeOf, type Session, withCalls } from './support.ts';

const id = 't1_s1_c1';
const ask = { verdict: 'ask' as const, effect: 'write' as const, rule: 'tool write' };

function asked(settings: Parameters<typeof withCalls>[1] = {}): Session {
  const session = withCalls([call('write', { path: 'a' })], settings);
  session.judge(id, ask);
  return session;
}

it('P4: an ask is put to a person with a deadline of five minutes', () => {
  const session = asked();
  expect(session.last('approval.requested')).toMatchObject({ call: id, tool: 'write', expiresAt: 300_000 });
  expect(session.due()).toEqual([`timer:approval:${id}:1`]);
});

it('P4: an approval runs the call, a refusal does not, and the model is told why', () => {
  const allowed = asked();
  allowed.approve(id);
  expect(allowed.due()).toEqual([`tool:${id}:1 run`]);
  const refused = asked();
  refused.command('approval.resolve', { call: id, decision: 'deny', reason: 'Not now.' });
  expect(refused.results()).toMatchObject([{ status: 'denied', content: expect.stringContaining('Not now.') }]);
  expect(refused.count('tool.started')).toBe(0);
});

it('P4: the first answer wins, and the second learns who gave it (scenario 12)', () => {
  const session = asked();
  session.approve(id);
  const second = session.command('approval.resolve', { call: id, decision: 'deny' });
  expect(second).toMatchObject({ code: 'already_answered', message: expect.stringContaining('allow, by ann') });
});

it('P4: who answers after arguments were edited learns of that answer too', () => {
  const session = asked();
  session.approve(id, { input: { path: 'b' } });
  expect(codeOf(session.approve(id))).toBe('already_answered');
});

it('P6: an agent can never answer', () => {
  const session = asked();
  expect(codeOf(session.approve(id, {}, agent))).toBe('human_only');
  expect(session.statusOf(id)).toBe('asking');
});

it('P4: a deadline that passes is a timeout and no refusal by the user', () => {
  const session = asked();
  session.ring(`timer:approval:${id}:1`);
  expect(session.last('approval.resolved')).toMatchObject({ decision: 'timeout' });
  expect(session.results()).toMatchObject([{ status: 'denied', content: expect.stringContaining('not a refusal') }]);
  expect(codeOf(session.approve(id))).not.toBe('accepted');
});

it('P4: a deadline of 0 waits for ever', () => {
  const session = asked({ limits: { approvalTimeoutMs: 0 } });
  expect(session.last('approval.requested')).toMatchObject({ expiresAt: null });
  expect(session.due()).toEqual([]);
});

it('P4: an open approval survives a restart', () => {
  const session = asked();
  session.reopen();
  expect(session.due()).toEqual([`timer:approval:${id}:1`]);
  session.approve(id);
  expect(session.due()).toEqual([`tool:${id}:1 run`]);
});

it('P3: edited arguments are judged again, and what was asked about them is answered', () => {
  const session = asked();
  session.approve(id, { input: { path: 'b' } });
  expect(session.due()).toEqual([`judge:${id}:2`]);
  session.judge(id, ask);
  expect(session.due()).toEqual([`tool:${id}:2 run`]);
  expect(session.state.turn?.calls[0]?.input).toEqual({ path: 'b' });
});

it('P3: edited arguments that a rule denies do not run', () => {
  const session = asked();
  session.approve(id, { input: { path: '/etc' } });
  session.judge(id, { ...ask, verdict: 'deny' });
  expect(session.results()).toMatchObject([{ status: 'denied' }]);
});

it('P3: an approval holds for what was judged: an outdated call is asked about again', () => {
  const session = asked();
  session.approve(id);
  session.outdated(id);
  session.judge(id, ask);
  expect(session.count('approval.requested')).toBe(2);
  expect(session.statusOf(id)).toBe('asking');
});

it('P3: an answer can add a rule for the rest of the session', () => {
  const session = asked();
  session.approve(id, { rules: [{ list: 'allow', rule: 'write(a)' }] });
  expect(session.state.settings.rules.allow).toEqual(['write(a)']);
});

it('P4: with nobody there an ask is a denial at once, the turn goes on, and it is counted', () => {
  const session = asked({ isAttended: false });
  expect(session.count('approval.requested')).toBe(0);
  expect(session.results()).toMatchObject([{ status: 'denied' }]);
  expect(session.due()).toEqual(['model:t1_s2_a1 run']);
  session.answer();
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'completed', unattendedDenials: 1 });
});

it('P4: what was being asked is denied when the last person leaves', () => {
  const session = asked();
  session.command('session.configure', { isAttended: false });
  expect(session.last('approval.resolved')).toMatchObject({ decision: 'cancelled' });
  expect(session.results()).toMatchObject([{ status: 'denied' }]);
});

it('P3: only people change the rules', () => {
  const session = asked();
  const rule = { list: 'allow' as const, rule: 'write' };
  expect(codeOf(session.command('rule.add', rule, { by: agent }))).toBe('human_only');
  expect(codeOf(session.command('rule.remove', rule, { by: agent }))).toBe('human_only');
  expect(codeOf(session.command('rule.remove', rule))).toBe('no_rule');
  session.command('rule.add', rule);
  expect(codeOf(session.command('rule.remove', rule))).toBe('accepted');
  expect(session.state.settings.rules.allow).toEqual([]);
});

it('tells the model of a call that was not valid what was wrong with it', () => {
  const session = withCalls([call('unheard_of')]);
  session.judge(id, { verdict: 'deny', isMistake: true, reason: 'There is no tool "unheard_of".' });
  expect(session.results()).toMatchObject([{ status: 'error', content: 'There is no tool "unheard_of".' }]);
});

it('P3: an edit stands in the log with what it was before and what changed, and the model is told', () => {
  const session = withCalls([call('write', { path: 'a', text: 'one' })]);
  session.judge(id, ask);
  session.approve(id, { input: { path: 'b', mode: '600' } });
  const summary = 'mode: added "600"; path: "a" → "b"; text: removed, was "one"';
  expect(session.last('approval.resolved')).toMatchObject({
    input: { path: 'b', mode: '600' },
    edit: { original: { path: 'a', text: 'one' }, summary },
  });
  session.judge(id, ask);
  session.finish(id, { content: 'Written.' });
  expect(session.results()[0]?.content).toBe(`Written.\n(The user changed the arguments before it ran: ${summary}.)`);
});

it('P3: arguments that were opened and left as they were are no edit', () => {
  const session = asked();
  session.approve(id, { input: { path: 'a' } });
  expect(session.last('approval.resolved')).not.toHaveProperty('edit');
  session.judge(id, ask);
  session.finish(id, { content: 'Written.' });
  expect(session.results()[0]?.content).toBe('Written.');
});

it('P3: what an approver says with their leave is told to the model', () => {
  const session = asked();
  session.approve(id, { reason: 'Only this once.' });
  session.finish(id, { content: 'Written.' });
  expect(session.results()[0]?.content).toContain('Only this once.');
});

it('P3: after an edit, whatever the approver has not seen is shown before it is done: a diff, or the list of a tree', () => {
  for (const kind of ['diff', 'text'] as const) {
    const session = withCalls([call('delete', { path: 'old' })]);
    session.judge(id, { ...ask, preview: { kind, text: 'Delete old with 1 file' } });
    session.approve(id, { input: { path: 'src' } });
    session.judge(id, { ...ask, preview: { kind, text: 'Delete src with 900 files' } });
    expect([session.statusOf(id), session.count('approval.requested')]).toEqual(['asking', 2]);
    session.approve(id);
    expect(session.statusOf(id)).toBe('running');
  }
});

it('P3: a preview that only repeats what the approver wrote is not asked about again', () => {
  const session = withCalls([call('bash', { command: 'touch a' })]);
  session.judge(id, { ...ask, preview: { kind: 'text', text: 'touch a' } });
  session.approve(id, { input: { command: 'touch b' } });
  session.judge(id, { ...ask, preview: { kind: 'text', text: 'touch b' } });
  expect(session.statusOf(id)).toBe('running');
});

const ops = { group: 'ops', members: ['bob', 'eve'] };

it('P5: an approval for a group names it, and only its people can answer', () => {
  const session = withCalls([call('write', { path: 'a' })]);
  session.judge(id, { ...ask, approvers: ops });
  expect(session.last('approval.requested')).toMatchObject({ approvers: ops });
  expect(session.approve(id)).toMatchObject({ code: 'not_an_approver', message: expect.stringContaining('ops') });
  expect(codeOf(session.approve(id, {}, { kind: 'agent', id: 'bob' }))).toBe('human_only');
  expect(session.statusOf(id)).toBe('asking');
  expect(codeOf(session.approve(id, {}, { kind: 'human', id: 'eve' }))).toBe('accepted');
  expect(session.approve(id, {}, { kind: 'human', id: 'bob' })).toMatchObject({
    code: 'already_answered',
    message: expect.stringContaining('eve'),
  });
});

it('P5: a group that holds everybody is open to any person, and to no agent', () => {
  const session = withCalls([call('write', { path: 'a' })]);
  session.judge(id, { ...ask, approvers: { group: 'all', members: ['*'] } });
  expect(codeOf(session.approve(id, {}, agent))).toBe('human_only');
  expect(codeOf(session.approve(id))).toBe('accepted');
});
