/**
 * The single writer of one session. Commands and outcomes come in at one end; each is decided, and its events are
 * settled, written and only then shown and acted upon. That is the loop; there is no other.
 */
import type { Actor, Command, DurableEvent, EventBody, Receipt, TransientData } from '@pawl/protocol';
import { isPawlError, messageOf, PawlError, toPawlError } from '@pawl/protocol';
import type { Decision, Effect, Fingerprinted, Outcome, State } from '../core/index.ts';
import { canonicalJson, decide, due, evolve, initialState, settle } from '../core/index.ts';
import type { Clock, SessionLog } from '../ports.ts';
import { Bus } from './bus.ts';
import type { EffectPorts, Runners } from './effects/effect.ts';
import { fingerprint } from './ids.ts';

/** The four functions. Only tests of the tests ever give others. */
export type Core = { evolve: typeof evolve; decide: typeof decide; settle: typeof settle; due: typeof due };
export const core: Core = { evolve, decide, settle, due };

export type SessionPorts = { log: SessionLog; clock: Clock; effects: EffectPorts; runners: Runners; core: Core };

type Submission = {
  command: Fingerprinted | Outcome;
  by: Actor;
  resolve(decision: Decided): void;
  reject(error: PawlError): void;
};
/** A decision and the number of the last event of the record it became part of. */
type Decided = { decision: Decision; seq: number };

/** `hasReported` is set once the outcome is on its way: from then on there is nothing to stop. */
type Running = { controller: AbortController; hasReported: boolean; done: Promise<void> };

const engine: Actor = { kind: 'engine', id: 'pawl' };

/** Effects that may end one after another without anything coming of them, before the session is given up. */
const mostFruitless = 100;

/** How long what was told to stop is waited for, ms: longer than tools are given to stop. */
const settleMs = 3000;

/** Waits between tries to write, ms; then the session stops, and its log says what is owed. */
const retryWaitsMs = [50, 500, 2000];

export class Session {
  readonly id: string;
  readonly bus: Bus;
  readonly #ports: SessionPorts;
  /** While a record is being written, the state is ahead of the log by that record; nobody outside sees it then. */
  readonly #state: State;
  readonly #inbox: Submission[] = [];
  #isDraining = false;
  readonly #running = new Map<string, Running>();
  /** Calls begun here and still owed. One whose outcome was lost is found out about, not begun again. */
  readonly #begun = new Set<string>();
  /** Resolves when nothing of the session runs here any more. */
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => undefined;
  #end: PawlError | null = null;
  #dropped = 0;
  #fruitless = 0;
  #quiet: (() => void)[] = [];

  private constructor(id: string, ports: SessionPorts, events: readonly DurableEvent[]) {
    this.id = id;
    this.#ports = ports;
    this.#state = fold(ports.core, events);
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.bus = new Bus(id, this.#state.seq, (afterSeq) => this.#read(afterSeq));
  }

  /** Begins a new session with its first events. @throws `conflict` if there is one of this id. */
  static async create(id: string, ports: SessionPorts, by: Actor, first: readonly EventBody[]): Promise<Session> {
    const events = first.map((body, index) => stamp(body, { seq: index + 1, at: ports.clock.now(), session: id, by }));
    const session = new Session(id, ports, events);
    await session.#write(events);
    session.#wake();
    return session;
  }

  /** Takes a session up: what its log says is owed is done. The log must be claimed by the caller. */
  static async open(
    id: string,
    ports: SessionPorts,
    driver: string,
    changes: readonly Command[] = [],
  ): Promise<Session> {
    const events = await ports.log.read(id);
    if (events.length === 0)
      throw new PawlError('no_session', `There is no session ${id}. List them with: pawl sessions list`);
    refuseAny(changes.map(signed), fold(ports.core, changes.length > 0 ? events : []), ports);
    const session = new Session(id, ports, events);
    const damage = ports.log.damage().find((found) => found.session === id)?.reason;
    // Written first of all, so that a driver that only slept learns at its next append that it is none any more;
    // in one record with the changes, so that nothing owed is begun without them.
    const opened = session.#enqueue(
      { type: 'session.opened', data: { driver, ...(damage !== undefined && { damage }) } },
      engine,
    );
    const changed = changes.map(signed).map(({ command, by }) => session.#enqueue(command, by));
    session.#wake();
    try {
      for (const decided of await Promise.all([opened, ...changed])) receiptOf(decided);
    } catch (error) {
      session.close();
      throw error;
    }
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

  /** @throws the refusal, as a PawlError with its code; `session_closed`, `session_lost`, `log_unavailable`. */
  async command(command: Command): Promise<Receipt> {
    const { command: fingerprinted, by } = signed(command);
    return receiptOf(await this.#submit(fingerprinted, by));
  }

  /** Stops driving. What runs is stopped and left open in the log, for whoever takes the session up next. */
  close(): void {
    this.#stop(new PawlError('session_closed', `Session ${this.id} is closed here. Open it again to go on.`), null);
  }

  #submit(command: Fingerprinted | Outcome, by: Actor): Promise<Decided> {
    const decided = this.#enqueue(command, by);
    this.#wake();
    return decided;
  }

  #enqueue(command: Fingerprinted | Outcome, by: Actor): Promise<Decided> {
    if (this.#end !== null) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#inbox.push({ command, by, resolve, reject });
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
          if (decision.type === 'accepted') this.#take(decision.events, submission.by, record);
          decided.push({ submission, decision, seq: this.#state.seq });
        }
        for (;;) {
          const following = this.#ports.core.settle(this.#state);
          if (following.length === 0) break;
          this.#take(following, engine, record);
        }
        if (record.length > 0) await this.#write(record);
      } catch (error) {
        for (const submission of batch) submission.reject(toPawlError(error, 'engine_fault'));
        throw error;
      }
      this.bus.publish(record);
      for (const event of record) this.#noteActivity(event);
      for (const { submission, decision, seq } of decided) submission.resolve({ decision, seq });
      this.#act();
    } while (this.#inbox.length > 0 && this.#end === null);
  }

  /** What is not even a command is its sender's fault alone. */
  #decide(command: Fingerprinted | Outcome): Decision {
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

  /** One record, once: an append whose answer was lost is found in the log and not made again. */
  async #write(record: readonly DurableEvent[]): Promise<void> {
    const { log, clock } = this.#ports;
    const expected = (record[0]?.seq ?? 1) - 1;
    for (let attempt = 0; ; attempt++) {
      try {
        await log.append(this.id, expected, record);
        return;
      } catch (error) {
        const isConflict = isPawlError(error, 'conflict');
        if ((isConflict && attempt === 0) || isPawlError(error, 'invalid_append')) throw error;
        const wait = retryWaitsMs[attempt];
        const written = await log.read(this.id, expected).catch(() => null);
        if (written !== null && isSame(written, record)) return;
        if (isConflict || (written !== null && written.length > 0)) throw conflictAt(this.id, error);
        if (wait === undefined) throw error;
        const message = `The log could not be written (${messageOf(error)}); trying again.`;
        this.bus.broadcast({ type: 'notice', data: { level: 'warning', code: 'log_unavailable', message } });
        await awake(new Promise<void>((resolve) => clock.at(clock.now() + wait, resolve)));
        if (this.#end !== null) throw this.#end;
      }
    }
  }

  /** What subscribers missed; a log that fails now and then is asked again. */
  async #read(afterSeq: number): Promise<DurableEvent[]> {
    const { log, clock } = this.#ports;
    for (const wait of retryWaitsMs) {
      try {
        return await log.read(this.id, afterSeq);
      } catch {
        await awake(new Promise<void>((resolve) => clock.at(clock.now() + wait, resolve)));
      }
    }
    return log.read(this.id, afterSeq);
  }

  /** Starts what is owed and not running; stops what runs and is no longer owed. */
  #act(): void {
    if (this.#end !== null) return;
    const owed = new Map(this.#ports.core.due(this.#state).map((effect) => [effect.id, effect]));
    for (const [id, { controller, hasReported }] of this.#running) {
      if (hasReported) continue;
      const effect = owed.get(id);
      if (effect === undefined || ('mode' in effect && effect.mode === 'stop')) controller.abort(this.#stopReason());
    }
    for (const id of this.#begun) if (!owed.has(id)) this.#begun.delete(id);
    for (const effect of owed.values()) {
      if (this.#running.has(effect.id)) continue;
      const hasBegun = effect.kind === 'tool' && effect.mode === 'run' && this.#begun.has(effect.id);
      this.#start(hasBegun ? { ...effect, mode: 'recover' } : effect);
    }
  }

  #noteActivity(event: DurableEvent): void {
    const activity = activityAfter[event.type];
    if (activity !== undefined) this.bus.broadcast({ type: 'activity', data: { activity } });
  }

  #stopReason(): PawlError {
    const turn = this.#state.turn;
    if (turn?.isOverTime === true) return new PawlError('max_duration', 'The turn ran out of time.');
    const { by, reason } = turn?.cancel ?? { by: engine, reason: null };
    return new PawlError('cancelled', `Cancelled by ${by.id}${reason === null ? '.' : `: ${reason}`}`);
  }

  #start(effect: Effect): void {
    const controller = new AbortController();
    const running: Running = { controller, hasReported: false, done: Promise.resolve() };
    this.#running.set(effect.id, running);
    if (effect.kind === 'tool') this.#begun.add(effect.id);
    const context = {
      ports: this.#ports.effects,
      state: this.#state,
      signal: controller.signal,
      report: (outcome: Outcome) => {
        running.hasReported = true;
        return this.#report(outcome);
      },
      broadcast: this.bus.broadcast.bind(this.bus),
    };
    const seq = this.#state.seq;
    const { runners } = this.#ports;
    const run = (): Promise<void> => {
      switch (effect.kind) {
        case 'model':
          return runners.model(effect, context);
        case 'judge':
          return runners.judge(effect, context);
        case 'tool':
          return runners.tool(effect, context);
        case 'timer':
          return runners.timer(effect, context);
        default:
          return effect satisfies never;
      }
    };
    running.done = run()
      .catch((error: unknown) => {
        // A runner answers for what it calls; what still comes out of one is a lost log or a fault of ours.
        if (this.#end === null) this.#fail(error);
      })
      .finally(() => {
        this.#running.delete(effect.id);
        if (this.#end !== null || this.#isDraining) return;
        // An effect whose outcome was lost is owed again. One that never has any would be begun again for ever.
        this.#fruitless = this.#state.seq === seq ? this.#fruitless + 1 : 0;
        if (this.#fruitless < mostFruitless) this.#act();
        else this.#fail(new Error(`Effects such as ${effect.id} end without an outcome.`));
      });
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
    for (const { controller } of this.#running.values()) controller.abort(end);
    for (const submission of this.#inbox.splice(0)) submission.reject(end);
    this.bus.close(thrown);
    this.#settled().then(this.#resolveEnded, this.#resolveEnded);
  }

  /** When the last write and all that was told to stop have come to an end, or had their time to. */
  async #settled(): Promise<void> {
    const { clock } = this.#ports;
    const all = Promise.all([...this.#running.values()].map(({ done }) => done));
    const overdue = new Promise<void>((resolve) => clock.at(clock.now() + settleMs, resolve));
    await awake(Promise.race([all, overdue]));
    while (this.#isDraining) await new Promise<void>((resolve) => this.#quiet.push(resolve));
  }
}

/** Keeps the process alive for as long as this takes: the clock alone does not. */
async function awake<Value>(work: Promise<Value>): Promise<Value> {
  const hold = setInterval(() => undefined, 2 ** 30);
  try {
    return await work;
  } finally {
    clearInterval(hold);
  }
}

/** Commands that belong together are refused together: none is written if one would not be. */
function refuseAny(
  commands: readonly { command: Fingerprinted; by: Actor }[],
  state: State,
  ports: SessionPorts,
): void {
  for (const { command, by } of commands) {
    const decision = ports.core.decide(state, command);
    if (decision.type === 'refused') throw new PawlError(decision.code, decision.message);
    if (decision.type !== 'accepted') continue;
    for (const body of decision.events) {
      const place = { seq: state.seq + 1, at: ports.clock.now(), session: state.session, by };
      ports.core.evolve(state, stamp(body, place));
    }
  }
}

const activityAfter: Partial<Record<DurableEvent['type'], TransientData['activity']['activity']>> = {
  'step.started': 'connecting',
  'tool.started': 'executing',
  'approval.requested': 'awaiting_approval',
  'turn.ended': 'idle',
};

const lostMessage = (id: string) =>
  `Session ${id} is driven from elsewhere now. Nothing more is done here; it can be watched.`;

function conflictAt(id: string, cause: unknown): PawlError {
  return new PawlError('conflict', `Session ${id} has events that this driver did not write.`, { cause });
}

/** A command with its fingerprint, and who is to stand in its events. */
function signed(command: Command): { command: Fingerprinted; by: Actor } {
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
      throw new PawlError(decision.code, decision.message);
    default:
      return decision satisfies never;
  }
}

type Place = Pick<DurableEvent, 'seq' | 'at' | 'session' | 'by'>;

function stamp(body: EventBody, place: Place): DurableEvent {
  const { seq, at, session, by } = place;
  return { seq, at, session, ...body, by };
}

function fold(functions: Core, events: readonly DurableEvent[]): State {
  const state = initialState();
  for (const event of events) functions.evolve(state, event);
  return state;
}

function isSame(written: readonly DurableEvent[], record: readonly DurableEvent[]): boolean {
  const canonical = (events: readonly DurableEvent[]) => canonicalJson(events);
  return written.length === record.length && canonical(written) === canonical(record);
}
