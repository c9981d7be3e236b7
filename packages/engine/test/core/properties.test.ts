/** What holds whatever clients and outcomes come, in whatever order. */
import type { DurableEvent } from '@pawl/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { State } from '../../src/core/index.ts';
import { due, evolve, initialState, settle } from '../../src/core/index.ts';
import { agent, begin, call, human, type Session, text } from './support.ts';

const index = fc.nat({ max: 40 });
const value = fc.constantFrom('Go.', 'And then?', ' ');
const effect = fc.constantFrom('read', 'idempotent', 'write', 'external');

/** One thing that happens to a session. Numbers choose among what there is to choose from. */
const happening = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('send'),
      value,
      delivery: fc.constantFrom('queue', 'steer', 'interrupt', 'reject'),
      review: fc.boolean(),
      target: fc.option(
        fc.record(
          { maxIterations: fc.integer({ min: 1, max: 4 }), verify: fc.constant('npm test') },
          { requiredKeys: ['maxIterations'] },
        ),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('verify'), passes: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('mail'),
      index,
      priority: fc.constantFrom('notify', 'urgent', 'interrupt'),
      comesIn: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('deliver'), index, succeeds: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('answer'),
      calls: fc.nat({ max: 4 }),
      stopReason: fc.constantFrom('end', 'output_limit', 'refusal', 'pause'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('fail'), partial: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('judge'),
      index,
      effect,
      verdict: fc.constantFrom('allow', 'allow', 'ask', 'deny'),
      path: fc.constantFrom('/a', '/b', null),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('finish'),
      index,
      status: fc.constantFrom('ok', 'error', 'unknown'),
      ends: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('outdated'), index }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('approve'),
      index,
      allow: fc.boolean(),
      edits: fc.boolean(),
      byAgent: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('ring'), index }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('cancel'), queue: fc.constantFrom('run', 'wait', 'commit') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constantFrom('pause', 'resume', 'continue', 'retry', 'reopen', 'review', 'context', 'unattend', 'limit'),
    }),
  },
);
type Happening = typeof happening extends fc.Arbitrary<infer Kind> ? Kind : never;

const pick = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % Math.max(1, items.length)];

function happen(session: Session, it: Happening): void {
  const calls = session.state.turn?.calls.map((each) => each.id) ?? [];
  const some = pick([...calls, 't9_s9_c9'], 'index' in it ? it.index : 0) ?? 't9_s9_c9';
  switch (it.what) {
    case 'send':
      if (!('delivery' in it)) return;
      session.send(it.value, it.delivery as 'queue', {
        review: it.review,
        ...(it.target !== null && { target: it.target as { maxIterations: number } }),
      });
      return;
    case 'verify': {
      const owed = session.effects().find(({ kind }) => kind === 'verify');
      if (owed === undefined || !('passes' in it)) return;
      session.outcome({ type: 'loop.verified', effect: owed.id, ok: it.passes, output: 'It ran.' });
      return;
    }
    case 'mail':
      if ('priority' in it) write(session, it);
      return;
    case 'deliver': {
      if (!('succeeds' in it)) return;
      const owed = pick(
        session.effects().flatMap((each) => (each.kind === 'deliver' ? [each] : [])),
        it.index,
      );
      if (owed === undefined) return;
      const { id: effect, mail } = owed;
      if (it.succeeds) session.outcome({ type: 'mail.delivered', effect, mail });
      else
        session.outcome({
          type: 'mail.undelivered',
          effect,
          mail,
          at: 0,
          message: 'Busy.',
          isFinal: it.index % 5 === 0,
        });
      return;
    }
    case 'answer':
      if (!('calls' in it)) return;
      session.answer(it.calls === 0 ? [text()] : Array.from({ length: it.calls }, () => call()), {
        stopReason: it.stopReason as 'end',
      });
      return;
    case 'fail':
      session.fail('model_failed', 'partial' in it && it.partial ? [text('So far')] : []);
      return;
    case 'judge':
      if (!('verdict' in it)) return;
      session.judge(some, {
        verdict: it.verdict as 'allow',
        effect: it.effect as 'read',
        paths: it.path === null ? [] : [it.path],
      });
      return;
    case 'finish':
      if (!('status' in it)) return;
      session.finish(some, { status: it.status as 'ok', ...(it.ends && it.index % 7 === 0 && { endsTurn: 'Over.' }) });
      return;
    case 'outdated':
      session.outdated(some);
      return;
    case 'approve':
      if (!('allow' in it)) return;
      session.approve(
        some,
        { decision: it.allow ? 'allow' : 'deny', ...(it.edits && { input: { path: 'edited' } }) },
        it.byAgent ? agent : human,
      );
      return;
    case 'ring': {
      const timers = session.effects().filter((owed) => owed.kind === 'timer');
      const timer = pick(timers, 'index' in it ? it.index : 0);
      if (timer !== undefined) session.ring(timer.id);
      return;
    }
    case 'cancel':
      if ('queue' in it) session.cancel(it.queue as 'run');
      return;
    case 'pause':
      session.command('session.pause', {});
      return;
    case 'resume':
      session.command('session.resume', {});
      return;
    case 'continue':
      session.command('turn.continue', {});
      return;
    case 'retry':
      session.command('turn.retry', {});
      return;
    case 'reopen':
      session.reopen();
      return;
    case 'review':
      session.command('review.resolve', { decision: 'approve' });
      return;
    case 'context':
      session.command('context.add', { content: [{ type: 'text', text: 'By the way.' }] });
      return;
    case 'unattend':
      session.command('session.configure', { isAttended: false });
      return;
    case 'limit':
      session.command('session.configure', { limits: { steps: 2, durationMs: 1000 } });
      return;
    default:
      it satisfies never;
  }
}

/** A mail of the session, or one that comes in: some of them twice. */
type Post = { index: number; priority: string; comesIn: boolean };

function write(session: Session, { index: at, priority, comesIn }: Post): void {
  const letter = { kind: 'progress' as const, priority: priority as 'notify', text: 'Half is done.', artifacts: [] };
  if (!comesIn) {
    session.command('mail.send', { ...letter, to: 'owner' });
    return;
  }
  const mail = `owner:m${at}`;
  const by = { kind: 'agent' as const, id: 'owner' };
  session.command('mail.receive', { ...letter, mail, thread: mail, from: 'owner' }, { by, id: mail });
}

/** Checks `holds` after everything that happens to a session. */
function always(holds: (session: Session) => void): void {
  fc.assert(
    fc.property(fc.array(happening, { minLength: 1, maxLength: 60 }), (happenings) => {
      const session = begin();
      for (const it of happenings) {
        happen(session, it);
        holds(session);
      }
    }),
    { numRuns: 200 },
  );
}

const replay = (events: readonly DurableEvent[]): State => events.reduce(evolve, initialState());
const bytesOf = (state: State): string =>
  JSON.stringify(state, (_, part: unknown) => (part instanceof Map ? [...part] : part));

it('E17: the same log gives the same state and the same effects, byte for byte', () => {
  fc.assert(
    fc.property(fc.array(happening, { minLength: 1, maxLength: 60 }), (happenings) => {
      const session = begin();
      for (const it of happenings) happen(session, it);
      const log = JSON.stringify(session.events);
      const [one, other] = [replay(JSON.parse(log)), replay(JSON.parse(log))];
      expect(bytesOf(other)).toBe(bytesOf(one));
      expect(bytesOf(one)).toBe(bytesOf(session.state));
      expect(JSON.stringify(due(one))).toBe(JSON.stringify(due(session.state)));
    }),
    { numRuns: 300 },
  );
});

it('numbers events on without gaps', () => {
  always(({ events, state }) => {
    expect(events.map((event) => event.seq)).toEqual(events.map((_, place) => place + 1));
    expect(state.seq).toBe(events.length);
  });
});

it('gives each call one result, in the order of the calls', () => {
  always(({ events, state }) => {
    const finished = events.flatMap((event) => (event.type === 'tool.finished' ? [event.data.call] : []));
    expect(new Set(finished).size).toBe(finished.length);
    state.messages.forEach((message, place) => {
      if (message.role !== 'tool') return;
      const asked = state.messages[place - 1];
      const calls = asked?.role === 'assistant' ? asked.content.filter((part) => part.type === 'tool_call') : [];
      expect(message.results.map((result) => result.call)).toEqual(calls.map((part) => part.id));
    });
  });
});

it('never sends a history with an open call', () => {
  always((session) => {
    if (!session.effects().some((owed) => owed.kind === 'model')) return;
    const { messages } = session.state;
    messages.forEach((message, place) => {
      const asks = message.role === 'assistant' && message.content.some((part) => part.type === 'tool_call');
      if (asks) expect(messages[place + 1]?.role).toBe('tool');
    });
  });
});

it('never owes two debts under one id, nor a deed to a call that was not begun or is done', () => {
  always((session) => {
    const owed = session.effects();
    expect(new Set(owed.map((each) => each.id)).size).toBe(owed.length);
    for (const each of owed) {
      if (each.kind === 'tool') expect(session.statusOf(each.call)).toBe('running');
      if (each.kind === 'judge') expect(['proposed', 'deferred']).toContain(session.statusOf(each.call));
    }
  });
});

it('never begins a call twice without its having been judged again in between', () => {
  always(({ events }) => {
    const begun = new Set<string>();
    for (const event of events) {
      if (event.type === 'tool.outdated') begun.delete(event.data.call);
      if (event.type !== 'tool.started') continue;
      expect(begun.has(event.data.call)).toBe(false);
      begun.add(event.data.call);
    }
  });
});

it('never begins a call that was denied, nor one that was asked about without a person having allowed it', () => {
  always(({ events }) => {
    for (const [place, event] of events.entries()) {
      if (event.type !== 'tool.started') continue;
      const before = events.slice(0, place).filter((each) => 'call' in each.data && each.data.call === event.data.call);
      const judged = before.findLast((each) => each.type === 'tool.judged');
      const verdict = judged?.type === 'tool.judged' ? judged.data.verdict : null;
      const answer = before.findLast((each) => each.type === 'approval.resolved');
      const isApproved =
        answer?.type === 'approval.resolved' && answer.data.decision === 'allow' && answer.by.kind === 'human';
      expect(verdict === 'allow' || (verdict === 'ask' && isApproved)).toBe(true);
    }
  });
});

it('never begins a call of a turn after its cancel, and ends that turn as cancelled', () => {
  always(({ events }) => {
    let isCancelled = false;
    for (const event of events) {
      if (event.type === 'cancel.requested') isCancelled = true;
      if (event.type === 'turn.ended') {
        if (isCancelled) expect(event.data.outcome).toBe('cancelled');
        isCancelled = false;
      }
      if (event.type === 'tool.started' || event.type === 'step.started') expect(isCancelled).toBe(false);
    }
  });
});

it('never loses an input: each is queued until it is taken, once, or removed', () => {
  always(({ events, state }) => {
    for (const event of events) {
      if (event.type !== 'input.queued') continue;
      const { input } = event.data;
      const taken = events.filter(
        (each) => each.type === 'message.added' && 'input' in each.data.message && each.data.message.input === input,
      );
      const isQueued = state.queue.some((queued) => queued.id === input);
      expect(taken.length + (isQueued ? 1 : 0)).toBe(1);
    }
  });
});

it('always comes to quiet, and then settles nothing more', () => {
  always(({ state }) => {
    expect(settle(state)).toEqual([]);
  });
});

it('is owed something, or waits for somebody, as long as a turn is open', () => {
  always((session) => {
    const { turn, isPaused } = session.state;
    if (turn === null) return;
    const waitsForPeople = isPaused || turn.phase === 'review' || turn.calls.some((each) => each.approval !== null);
    expect(waitsForPeople || session.due().length > 0).toBe(true);
  });
});

it('A3: takes each mail in once, and owes each that is sent to somebody until it is delivered or given up', () => {
  always(({ events, state }) => {
    const mails = (type: DurableEvent['type']) =>
      events.flatMap((event) => (event.type === type && 'mail' in event.data ? [event.data.mail] : []));
    const received = mails('mail.received');
    expect(new Set(received).size).toBe(received.length);
    const done = [...mails('mail.delivered'), ...mails('mail.failed')];
    const open = mails('mail.sent').filter((mail) => !done.includes(mail));
    const owed = due(state).flatMap(({ id }) => /^(?:deliver|timer:mail):(s1:[^:]+)/.exec(id)?.[1] ?? []);
    expect(owed).toEqual(open);
  });
});

it('E14: never ends a turn with a target well unless an end was put forward, and never beyond its iterations', () => {
  always(({ events }) => {
    let target: { maxIterations: number } | undefined;
    let isProposed = false;
    for (const event of events) {
      if (event.type === 'turn.started') [target, isProposed] = [event.data.target, false];
      if (event.type === 'tool.finished' && event.data.endsTurn !== undefined) isProposed = true;
      if (event.type === 'loop.changed') {
        expect(event.data.iteration).toBeLessThanOrEqual(target?.maxIterations ?? 0);
        if (event.data.status === 'executing') isProposed = false;
      }
      if (event.type === 'turn.ended' && target !== undefined && event.data.outcome === 'completed') {
        expect([isProposed, event.data.loop?.status]).toEqual([true, 'completed']);
      }
    }
  });
});
