/** Drives the four functions by hand: no runtime, no time, every outcome as the test says. */
import type {
  Command,
  CommandData,
  CommandType,
  DurableEvent,
  EventBody,
  EventData,
  EventType,
  Identity,
  Judgement,
  Limits,
  StopReason,
  TurnOptions,
} from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import type { Decision, Effect, Outcome, ResultCheck } from '../../src/core/index.ts';
import { decide, defaultLimits, due, findCall, initialState, noUsage, settle } from '../../src/core/index.ts';
import type { ModelMessage, ModelPart } from '../../src/index.ts';
import { evolveWatched } from './ownership.ts';

export const human: Identity = { kind: 'human', id: 'ann' };
export const agent: Identity = { kind: 'agent', id: 'bot' };
const engine = { kind: 'engine', id: 'pawl' } as const;

export type Created = EventData['session.created'];

const created: Created = {
  cwd: '/w',
  model: 'test/model',
  modelInfo: { contextTokens: 100_000, outputTokens: 1000, isPriceKnown: true },
  agent: 'builder',
  mode: 'manual',
  isAttended: true,
  rules: { deny: [], ask: [], allow: [] },
  limits: defaultLimits,
  metadata: {},
};

/** A tool call as the model asks for it. */
export const call = (tool = 'echo', input: Record<string, string> = {}): ModelPart => ({
  type: 'tool_call',
  tool,
  input,
});
export const text = (value = 'Done.'): ModelPart => ({ type: 'text', text: value });

export type Session = ReturnType<typeof begin>;

/** A session that has begun, with these settings. */
export function begin(settings: Omit<Partial<Created>, 'limits'> & { limits?: Partial<Limits> } = {}) {
  const { limits, ...rest } = settings;
  const data = { ...created, ...rest, limits: { ...defaultLimits, ...limits } };
  return open([{ seq: 1, at: 0, session: 's1', type: 'session.created', data, by: human }]);
}

/** A session with this log. */
export function open(log: readonly DurableEvent[]) {
  const events: DurableEvent[] = [];
  const state = initialState();
  let now = 0;
  let ids = 0;

  const take = (bodies: readonly EventBody[], by: DurableEvent['by']): void => {
    for (const body of bodies) {
      const event: DurableEvent = { seq: state.seq + 1, at: now, session: 's1', ...body, by };
      events.push(event);
      evolveWatched(state, event);
    }
  };
  const quiet = (): void => {
    for (let rounds = 0; ; rounds++) {
      const following = settle(state);
      if (following.length === 0) return;
      if (rounds > 100) throw new Error('settle never comes to rest.');
      take(following, engine);
    }
  };
  for (const event of log) {
    events.push(event);
    evolveWatched(state, event);
    now = event.at;
  }
  quiet();

  const decided = (decision: Decision, by: DurableEvent['by']): Decision => {
    if (decision.type === 'accepted') {
      take(decision.events, by);
      quiet();
    }
    return decision;
  };
  const outcome = (given: Outcome): Decision => decided(decide(state, given), engine);
  const owed = (kind: Effect['kind']) => due(state).filter((effect) => effect.kind === kind);
  const modelEffect = (): string => owed('model')[0]?.id ?? 'model:none';

  const session = {
    state,
    events,
    outcome,
    /** Ids of what is owed now. */
    due: (): string[] => due(state).map((effect) => ('mode' in effect ? `${effect.id} ${effect.mode}` : effect.id)),
    effects: () => due(state),
    command<Type extends CommandType>(
      type: Type,
      data: CommandData[Type],
      { by = human, id = `c${++ids}` }: { by?: Identity; id?: string } = {},
    ): Decision {
      const digest = JSON.stringify([type, data]);
      const command = { id, session: 's1', by, type, data } as Command;
      return decided(decide(state, { ...command, digest }), { ...by, command: id, digest });
    },
    /** Sends an input; its id comes back. */
    send(value = 'Go.', delivery: CommandData['input.send']['delivery'] = 'queue', more: TurnOptions = {}): string {
      const id = `c${++ids}`;
      session.command('input.send', { content: [{ type: 'text', text: value }], delivery, ...more }, { id });
      return id;
    },
    cancel: (queue: CommandData['turn.cancel']['queue'] = 'run') => session.command('turn.cancel', { queue }),
    /** The model answers the call that is owed. */
    answer(
      content: ModelPart[] = [text()],
      {
        stopReason,
        tokens = 10,
        costUsd = 0.5,
        cutCall,
        checked,
      }: {
        stopReason?: StopReason;
        tokens?: number;
        costUsd?: number | null;
        cutCall?: string;
        checked?: ResultCheck;
      } = {},
    ): Decision {
      const hasCalls = content.some((part) => part.type === 'tool_call');
      const message: ModelMessage = {
        content,
        stopReason: stopReason ?? (hasCalls ? 'tool_calls' : 'end'),
        usage: { ...noUsage, inputTokens: tokens },
        costUsd,
        ...(cutCall !== undefined && { cutCall }),
      };
      const known = { model: 'test/model', message, ...(checked !== undefined && { checked }) };
      return outcome({ type: 'model.finished', effect: modelEffect(), ...known });
    },
    /** The call of the model ends in an error, with what there was of the answer. */
    fail(code = 'model_failed', partial: ModelPart[] = []): Decision {
      const message = { content: partial, stopReason: 'end' as const, usage: noUsage, costUsd: null };
      const error = { code, message: `It ended with ${code}.` };
      const said = partial.length === 0 ? null : message;
      return outcome({ type: 'model.failed', effect: modelEffect(), model: 'test/model', error, partial: said });
    },
    /** The judgement of a call comes back. */
    judge(id: string, judgement: Partial<Judgement> = {}): Decision {
      const effect = owed('judge').find((each) => each.kind === 'judge' && each.call === id)?.id ?? 'judge:none';
      const whole = {
        call: id,
        verdict: 'allow' as const,
        rule: 'test',
        effect: 'read' as const,
        paths: [],
        ...judgement,
      };
      return outcome({ type: 'tool.judged', effect, judgement: whole });
    },
    /** A call's result comes back. */
    finish(id: string, data: Partial<EventData['tool.finished']> = {}, effect = toolEffect(id)): Decision {
      const whole = { call: id, status: 'ok' as const, content: `result of ${id}`, ...data };
      return outcome({ type: 'tool.finished', effect, data: whole });
    },
    outdated: (id: string, effect = toolEffect(id)): Decision =>
      outcome({ type: 'tool.outdated', effect, data: { call: id, reason: 'It changed.' } }),
    ring: (timer: string): Decision => outcome({ type: 'timer.fired', effect: timer }),
    approve: (id: string, more: Partial<CommandData['approval.resolve']> = {}, by = human): Decision =>
      session.command('approval.resolve', { call: id, decision: 'allow', ...more }, { by }),
    /** The driver is gone and another takes the session up. */
    reopen: (): Decision => outcome({ type: 'session.opened', data: { driver: 'other' } }),
    wait(ms: number): void {
      now += ms;
    },
    statusOf: (id: string) => findCall(state, id)?.status ?? null,
    last: <Type extends EventType>(type: Type): EventData[Type] | null => {
      const found = events.findLast((event) => event.type === type);
      return (found?.data as EventData[Type] | undefined) ?? null;
    },
    count: (type: EventType): number => events.filter((event) => event.type === type).length,
    /** The results of the last step, as the model sees them. */
    results: () => session.state.messages.findLast((message) => message.role === 'tool')?.results ?? [],
    /** What the user messages of the history say. */
    said: (): string[] =>
      state.messages.flatMap((message) => (message.role === 'user' ? [textOf(message.content)] : [])),
  };
  const toolEffect = (id: string): string =>
    owed('tool').find((each) => each.kind === 'tool' && each.call === id)?.id ?? 'tool:none';
  return session;
}

/** A session whose turn has asked for these calls. */
export function withCalls(calls: ModelPart[], settings: Parameters<typeof begin>[0] = {}): Session {
  const session = begin(settings);
  session.send();
  session.answer(calls);
  return session;
}

export function codeOf(decision: Decision): string {
  return decision.type === 'refused' ? decision.code : decision.type;
}
