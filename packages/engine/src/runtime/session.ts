/**
 * The single writer of one session. Commands and outcomes come in at one end; each is decided, and its events are
 * settled, written and only then shown and acted upon. That is the loop; there is no other.
 */
import type { Actor, Command, DurableEvent, EventBody, Receipt, TransientData } from '@pawl/protocol';
import { messageOf, PawlError, toPawlError } from '@pawl/protocol';
import type { Decision, FingerprintedCommand, Outcome, State } from '../core/index.ts';
import { canonicalJson, decide, due, evolve, initialState, isAwaitingCompaction, settle } from '../core/index.ts';
import type { Clock, SessionLog } from '../ports.ts';
import { Admission } from './admission.ts';
import { Bus } from './bus.ts';
import type { EffectPorts, Runners } from './effects/effect.ts';
import { fingerprint } from './ids.ts';
import { keptEvents } from './kept.ts';
import type { LiveSession } from './live-session.ts';
import { Runs } from './runs.ts';
import { readAfter, write } from './writer.ts';

/** The four functions. Only tests of the tests ever give others. */
export type Core = { evolve: typeof evolve; decide: typeof decide; settle: typeof settle; due: typeof due };
export const core: Core = { evolve, decide, settle, due };

export type SessionPorts = { log: SessionLog; clock: Clock; effects: EffectPorts; runners: Runners; core: Core };

type Submission = {
  command: FingerprintedCommand | Outcome;
  by: Actor;
  /** Without it, nothing of its record is written, and the session is driven no further. */
  isRequired: boolean;
  resolve(decision: Decided): void;
  reject(error: PawlError): void;
};
/** A decision and the number of the last event of the record it became part of. */
type Decided = { decision: Decision; seq: number };

const engine: Actor = { kind: 'engine', id: 'pawl' };

export class Session implements LiveSession {
  readonly id: string;
  readonly bus: Bus;
  readonly #ports: SessionPorts;
  /** While a record is being written, the state is ahead of the log by that record; nobody outside sees it then. */
  readonly #state: State;
  readonly #inbox: Submission[] = [];
  readonly #admission: Admission;
  #isDraining = false;
  /** A turn waits for a compaction. */
  #isWaiting = false;
  readonly #runs: Runs;
  /** Resolves when nothing of the session runs here any more. */
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => undefined;
  #end: PawlError | null = null;
  #dropped = 0;
  #quiet: (() => void)[] = [];

  private constructor(id: string, ports: SessionPorts, state: State) {
    this.id = id;
    this.#ports = ports;
    this.#state = state;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const place = { session: id, log: ports.log, clock: ports.clock };
    this.bus = new Bus(id, this.#state.seq, (afterSeq) => readAfter(place, afterSeq));
    this.#admission = new Admission(ports.effects.attachments, this.#state);
    this.#runs = new Runs({
      ports: ports.effects,
      runners: ports.runners,
      state: this.#state,
      due: () => ports.core.due(this.#state),
      report: (outcome) => this.#report(outcome),
      broadcast: (body) => this.bus.broadcast(body),
      fail: (error) => this.#fail(error),
      isBusy: () => this.#isDraining,
    });
  }

  /** Begins a new session with its first events. @throws `conflict` if there is one of this id. */
  static async create(id: string, ports: SessionPorts, by: Actor, first: readonly EventBody[]): Promise<Session> {
    const events = first.map((body, index) => stamp(body, { seq: index + 1, at: ports.clock.now(), session: id, by }));
    const state = initialState();
    for (const event of events) ports.core.evolve(state, event);
    const session = new Session(id, ports, state);
    await session.#write(events);
    session.#wake();
    return session;
  }

  /**
   * Takes a session up: what its log says is owed is done. `state` is what its whole log says, and the session's from
   * now on; the log must be claimed by the caller. @throws the refusal of a change; then nothing is written.
   */
  static async open(
    state: State,
    ports: SessionPorts,
    driver: string,
    changes: readonly Command[] = [],
  ): Promise<Session> {
    const session = new Session(state.session, ports, state);
    const damage = ports.log.damage().find((found) => found.session === session.id)?.reason;
    // Written first of all, so that a driver that only slept learns at its next append that it is none any more;
    // in one record with the changes, so that nothing owed is begun without them.
    const opened = session.#enqueue(
      { type: 'session.opened', data: { driver, ...(damage !== undefined && { damage }) } },
      engine,
    );
    const changed = changes.map(signed).map(({ command, by }) => session.#enqueue(command, by, true));
    session.#wake();
    await Promise.all([opened, ...changed]);
    return session;
  }

  /** Reads the state as of the last durable event. @throws when the session is not driven here any more. */
  async look<Value>(read: (state: Readonly<State>) => Value): Promise<Value> {
    while (this.#isDraining) await new Promise<void>((resolve) => this.#quiet.push(resolve));
    if (this.#end !== null) throw this.#end;
    return read(this.#state);
  }

  /** Whether it is driven here no longer. */
  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** Outcomes that came twice, late, or for nothing, and were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * @throws the refusal, as a PawlError with its code: of its files too; `session_closed`, `session_lost`,
   * `log_unavailable`.
   */
  async command(command: Command): Promise<Receipt> {
    const { command: fingerprinted, by } = signed(command);
    return receiptOf(await this.#admission.pass(command, () => this.#submit(fingerprinted, by)));
  }

  /** Stops driving. What runs is stopped and left open in the log, for whoever takes the session up next. */
  close(): void {
    this.#stop(new PawlError('session_closed', `Session ${this.id} is closed here. Open it again to go on.`), null);
  }

  #submit(command: FingerprintedCommand | Outcome, by: Actor): Promise<Decided> {
    const decided = this.#enqueue(command, by);
    this.#wake();
    return decided;
  }

  #enqueue(command: FingerprintedCommand | Outcome, by: Actor, isRequired = false): Promise<Decided> {
    if (this.#end !== null) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#inbox.push({ command, by, isRequired, resolve, reject });
    });
  }

  #wake(): void {
    if (this.#isDraining || this.#end !== null) return;
    this.#isDraining = true;
    this.#drain()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#isDraining = false;
        for (const resolve of this.#quiet.splice(0)) resolve();
        if (this.#inbox.length > 0) this.#wake();
      });
  }

  /** Everything that waits becomes one record. The first round, with nothing waiting, settles what was loaded. */
  async #drain(): Promise<void> {
    do {
      const batch = this.#inbox.splice(0);
      const record: DurableEvent[] = [];
      const decided: { submission: Submission; decision: Decision; seq: number }[] = [];
      try {
        for (const submission of batch) {
          const decision = this.#decide(submission.command);
          if (submission.isRequired && decision.type === 'refused') throw refusalOf(decision);
          if (decision.type === 'accepted') this.#take(decision.events, submission.by, record);
          decided.push({ submission, decision, seq: this.#state.seq });
        }
        this.#settle(record);
        if (record.length > 0) await this.#write(record);
      } catch (error) {
        for (const submission of batch) submission.reject(toPawlError(error, 'engine_fault'));
        throw error;
      }
      this.bus.publish(record);
      for (const event of record) this.#noteActivity(event);
      this.#noteWaiting();
      for (const { submission, decision, seq } of decided) submission.resolve({ decision, seq });
      this.#runs.act();
      this.bus.isOwing = this.#runs.isOwing;
    } while (this.#inbox.length > 0 && this.#end === null);
  }

  /** All that follows from what is in the record, with what is known already of the effects it makes due. */
  #settle(record: DurableEvent[]): void {
    for (;;) {
      const following = this.#ports.core.settle(this.#state);
      if (following.length > 0) {
        this.#take(following, engine, record);
        continue;
      }
      // What was judged early was judged by what was known when the answer came.
      const answer = record.find((event) => event.type === 'message.added' && event.data.message.role === 'assistant');
      const known = record.length === 0 ? null : this.#runs.knownOutcome((answer?.seq ?? 0) - 1);
      if (known === null) return;
      const decision = this.#decide(known);
      if (decision.type === 'accepted') this.#take(decision.events, engine, record);
      else this.#dropped += 1;
    }
  }

  /** What is not even a command is its sender's fault alone. */
  #decide(command: FingerprintedCommand | Outcome): Decision {
    try {
      return this.#ports.core.decide(this.#state, command);
    } catch (error) {
      if (!('id' in command)) throw error;
      return {
        type: 'refused',
        code: 'bad_command',
        message: `This is no ${command.type} command: ${messageOf(error)}`,
      };
    }
  }

  #take(bodies: readonly EventBody[], by: Actor, record: DurableEvent[]): void {
    for (const body of bodies) {
      const event = stamp(body, { seq: this.#state.seq + 1, at: this.#ports.clock.now(), session: this.id, by });
      this.#ports.core.evolve(this.#state, event);
      record.push(event);
    }
  }

  #write(record: readonly DurableEvent[]): Promise<void> {
    const { log, clock } = this.#ports;
    return write({ session: this.id, log, clock }, keptEvents(record, this.#ports.effects.redactor), {
      onTrouble: (message) =>
        this.bus.broadcast({ type: 'notice', data: { level: 'warning', code: 'log_unavailable', message } }),
      checkDriving: () => {
        if (this.#end !== null) throw this.#end;
      },
    });
  }

  #noteActivity(event: DurableEvent): void {
    if (event.type === 'tool.deferred') {
      this.bus.broadcast({ type: 'tool.progress', data: { call: event.data.call, state: 'queued' } });
    }
    const activity = activityAfter[event.type];
    if (activity !== undefined) this.bus.broadcast({ type: 'activity', data: { activity } });
  }

  /** A turn that waits for room says so, and says it once. */
  #noteWaiting(): void {
    const isWaiting = isAwaitingCompaction(this.#state);
    if (isWaiting && !this.#isWaiting) this.bus.broadcast({ type: 'activity', data: { activity: 'compacting' } });
    this.#isWaiting = isWaiting;
  }

  async #report(outcome: Outcome): Promise<boolean> {
    if (this.#end !== null) return false;
    const { decision } = await this.#submit(outcome, engine);
    if (decision.type === 'accepted') return true;
    this.#dropped += 1;
    return false;
  }

  #fail(error: unknown): void {
    const cause = toPawlError(error, 'engine_fault');
    const lost = cause.code === 'conflict' ? new PawlError('session_lost', lostMessage(this.id), { cause }) : cause;
    this.#stop(lost, lost);
  }

  #stop(end: PawlError, thrown: PawlError | null): void {
    if (this.#end !== null) return;
    this.#end = end;
    if (thrown !== null) {
      this.bus.broadcast({ type: 'notice', data: { level: 'error', code: thrown.code, message: thrown.message } });
    }
    this.#runs.end(end);
    for (const submission of this.#inbox.splice(0)) submission.reject(end);
    this.bus.close(thrown);
    this.#settled().then(this.#resolveEnded, this.#resolveEnded);
  }

  /** When the last write and all that was told to stop have come to an end, or had their time to. */
  async #settled(): Promise<void> {
    await this.#runs.settled();
    while (this.#isDraining) await new Promise<void>((resolve) => this.#quiet.push(resolve));
  }
}

const activityAfter: Partial<Record<DurableEvent['type'], TransientData['activity']['activity']>> = {
  'step.started': 'connecting',
  'tool.started': 'executing',
  'approval.requested': 'awaiting_approval',
  'question.asked': 'awaiting_answer',
  'turn.ended': 'idle',
};

const lostMessage = (id: string) =>
  `Session ${id} is driven from elsewhere now. Nothing more is done here; it can be watched.`;

/** A command with its fingerprint, and who is to stand in its events. */
function signed(command: Command): { command: FingerprintedCommand; by: Actor } {
  const digest = fingerprint(canonicalJson({ type: command.type, data: command.data }));
  return { command: { ...command, digest }, by: { ...command.by, command: command.id, digest } };
}

/** @throws the refusal. */
function receiptOf({ decision, seq }: Decided): Receipt {
  switch (decision.type) {
    case 'accepted':
      return { seq, isDuplicate: false };
    case 'duplicate':
      return { seq: decision.seq, isDuplicate: true };
    case 'refused':
      throw refusalOf(decision);
    default:
      return decision satisfies never;
  }
}

const refusalOf = ({ code, message }: Extract<Decision, { type: 'refused' }>) => new PawlError(code, message);

type EventStamp = Pick<DurableEvent, 'seq' | 'at' | 'session' | 'by'>;

function stamp(body: EventBody, place: EventStamp): DurableEvent {
  const { seq, at, session, by } = place;
  return { seq, at, session, ...body, by };
}
