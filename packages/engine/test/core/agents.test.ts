import type { AgentProfile } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWidening, mayCall } from '../../src/core/index.ts';
import { agent, begin, call, codeOf, withCalls } from './support.ts';

const none = { deny: [], ask: [], allow: [] };
const profile = (more: Partial<AgentProfile> = {}): AgentProfile => ({
  name: 'builder',
  tools: null,
  rules: none,
  delegates: null,
  ...more,
});
const planner = profile({ name: 'planner', tools: ['read', 'git_*'], mode: 'plan' });

describe('A1: the tools of an agent', () => {
  it('are all without a list, else those that it names, less those that it leaves out', () => {
    expect(mayCall(null, 'bash')).toBe(true);
    expect(mayCall(profile(), 'bash')).toBe(true);
    expect(mayCall(planner, 'git_log')).toBe(true);
    expect(mayCall(planner, 'write')).toBe(false);
    expect(mayCall(profile({ tools: ['*', '!git_*'] }), 'git_log')).toBe(false);
    expect(mayCall(profile({ tools: ['!git_*', '*'] }), 'read')).toBe(true);
    expect(mayCall(profile({ tools: [] }), 'read')).toBe(false);
  });
});

describe('E15: a switch of the agent', () => {
  it('is logged and takes its mode, and the next agent gets back the one from before', () => {
    const session = begin({ mode: 'accept-edits' });
    session.command('session.configure', { agent: 'planner', profile: planner });
    expect(session.last('session.configured')).toMatchObject({ agent: 'planner', mode: 'plan' });
    expect(session.state.settings.mode).toBe('plan');
    session.command('session.configure', { agent: 'builder', profile: profile() });
    expect(session.state.settings.mode).toBe('accept-edits');
  });

  it('comes back to the mode from before several planners, and keeps what a person says of the mode', () => {
    const session = begin({ mode: 'auto' });
    session.command('session.configure', { agent: 'planner', profile: planner });
    session.command('session.configure', { agent: 'other', profile: { ...planner, name: 'other' } });
    session.command('session.configure', { agent: 'builder', profile: profile() });
    expect(session.state.settings.mode).toBe('auto');
    session.command('session.configure', { agent: 'planner', profile: planner });
    session.command('session.configure', { mode: 'manual' });
    session.command('session.configure', { agent: 'builder', profile: profile() });
    expect(session.state.settings.mode).toBe('manual');
  });

  it('has calls that wait judged again', () => {
    const session = withCalls([call('deed')]);
    session.judge('t1_s1_c1', { verdict: 'ask', effect: 'write' });
    expect(session.statusOf('t1_s1_c1')).toBe('asking');
    session.command('session.configure', { agent: 'planner', profile: planner });
    session.approve('t1_s1_c1');
    expect(session.due()).toEqual(['judge:t1_s1_c1:2']);
  });

  it('is for a person alone where the other agent may do more', () => {
    const wider: [string, AgentProfile | null][] = [
      ['more tools', profile({ tools: ['*'] })],
      ['all tools', null],
      ['an allow', { ...planner, rules: { ...none, allow: ['write'] } }],
      ['fewer denies', { ...planner, rules: none }],
      ['a wider mode', { ...planner, rules: { ...none, deny: ['bash'] }, mode: 'auto' }],
    ];
    for (const [what, to] of wider) {
      const session = begin({
        mode: 'manual',
        agent: 'planner',
        profile: { ...planner, rules: { ...none, deny: ['bash'] } },
      });
      const decision = session.command('session.configure', { agent: 'x', profile: to }, { by: agent });
      expect(codeOf(decision), what).toBe('human_only');
      expect(codeOf(session.command('session.configure', { agent: 'x', profile: to })), what).toBe('accepted');
    }
    const narrow = begin({ agent: 'builder', profile: profile() });
    const decision = narrow.command('session.configure', { agent: 'planner', profile: planner }, { by: agent });
    expect(codeOf(decision)).toBe('accepted');
  });

  it('that an agent may make never lets a tool through that was not there before', () => {
    const names = ['read', 'write', 'bash', 'git_log', 'git_diff'];
    const pattern = fc.constantFrom(...names, '*', 'git_*', '!bash', '!git_*');
    const tools = fc.option(fc.array(pattern, { maxLength: 4 }));
    fc.assert(
      fc.property(tools, tools, (from, to) => {
        const { settings } = begin({ profile: profile({ tools: from }) }).state;
        const next = profile({ tools: to });
        if (isWidening(settings, { profile: next })) return;
        for (const name of names) if (mayCall(next, name)) expect(mayCall(settings.profile, name)).toBe(true);
      }),
    );
  });
});

describe('E15: a plan', () => {
  const planned = () => {
    const session = withCalls([call('propose_plan')], {
      agent: 'planner',
      profile: planner,
      mode: 'plan',
      modeOfSession: 'manual',
    });
    session.judge('t1_s1_c1');
    session.outcome({
      type: 'tool.finished',
      effect: session.effects()[0]?.id ?? '',
      data: { call: 't1_s1_c1', status: 'ok', content: 'Handed over.', endsTurn: '1. Dig.' },
      declared: { plan: '1. Dig.' },
    });
    return session;
  };

  it('ends the turn and waits in the log', () => {
    const session = planned();
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'completed', message: '1. Dig.' });
    expect(session.last('plan.written')).toEqual({ text: '1. Dig.' });
    expect(session.state.plan).toBe('1. Dig.');
  });

  it('is carried out by the agent that a person names, in the mode from before, as a turn of its own', () => {
    const session = planned();
    const decision = session.command('plan.execute', { agent: 'builder', profile: profile() }, { id: 'p1' });
    expect(codeOf(decision)).toBe('accepted');
    expect(session.last('plan.accepted')).toEqual({ agent: 'builder', input: 'p1' });
    expect(session.state.settings).toMatchObject({ agent: 'builder', mode: 'manual' });
    expect(session.state.turn?.number).toBe(2);
    expect(session.said().at(-1)).toBe('Carry out this plan:\n\n1. Dig.');
    expect(session.state.plan).toBeNull();
  });

  it('is carried out once, not by an agent’s word, and not in the middle of a turn', () => {
    const session = planned();
    const data = { agent: 'builder', profile: profile() };
    expect(codeOf(session.command('plan.execute', data, { by: agent }))).toBe('human_only');
    session.send('Wait.');
    expect(codeOf(session.command('plan.execute', data))).toBe('busy');
    session.answer();
    expect(codeOf(session.command('plan.execute', data, { id: 'p1' }))).toBe('accepted');
    expect(codeOf(session.command('plan.execute', data, { id: 'p1' }))).toBe('duplicate');
    session.answer();
    expect(codeOf(session.command('plan.execute', data))).toBe('no_plan');
  });
});
