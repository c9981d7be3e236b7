/** Runs the effects of one session: starts what is owed, once, and stops what is no longer owed. */
import type { Actor, TransientBody } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { Effect, Outcome, State } from '../core/index.ts';
import { isOutOfTime } from '../core/index.ts';
import { keepingAlive } from '../waiting.ts';
import type { EffectContext, EffectPorts, Runners } from './effects/effect.ts';
import { Speculation } from './speculation.ts';

/** `hasReported` is set once the outcome is reported: from then on there is nothing to stop. */
type Running = { controller: AbortController; isStop: boolean; hasReported: boolean; done: Promise<void> };

/** Effects in a row that may end without an event, before the session is given up. */
const maxRunsWithoutOutcome = 100;

/** How long stopped effects are waited for, ms: longer than tools are given to stop. */
const settleMs = 3000;

/** The session, as its effects use it. */
export type RunsOwner = {
  ports: EffectPorts;
  runners: Runners;
  state: State;
  due(): Effect[];
  report(outcome: Outcome): Promise<boolean>;
  broadcast(body: TransientBody): void;
  /** A runner handles the errors of what it calls, so an error here is a lost log or a bug in the engine. */
  fail(error: unknown): void;
  /** Whether a record is being written, after which `act` is called anyway. */
  isBusy(): boolean;
};

export class Runs {
  readonly #home: RunsOwner;
  readonly #running = new Map<string, Running>();
  /** Calls that were started here and are still owed. If an outcome was lost, the call is recovered, not run again. */
  readonly #begun = new Set<string>();
  readonly #speculation: Speculation;
  #fruitless = 0;
  #hasEnded = false;
  #isOwing = false;

  constructor(home: RunsOwner) {
    this.#home = home;
    this.#speculation = new Speculation(home);
  }

  /** Starts what is owed and not running; stops what runs and is no longer owed. */
  act(): void {
    if (this.#hasEnded) return;
    const { state } = this.#home;
    if (!mayUseEarlyCalls(state)) this.#speculation.discard();
    const owed = new Map(this.#home.due().map((effect) => [effect.id, effect]));
    this.#isOwing = state.turn !== null || owed.size > 0;
    for (const [id, { controller, isStop, hasReported }] of this.#running) {
      if (hasReported) continue;
      const effect = owed.get(id);
      // An effect that stops something is not stopped itself: it would be started and stopped again for ever.
      if (effect === undefined || (isStopOf(effect) && !isStop)) controller.abort(stopReason(state));
    }
    for (const id of this.#begun) if (!owed.has(id)) this.#begun.delete(id);
    for (const effect of owed.values()) {
      if (this.#running.has(effect.id)) continue;
      const hasBegun = effect.kind === 'tool' && effect.mode === 'run' && this.#begun.has(effect.id);
      this.#start(hasBegun ? { ...effect, mode: 'recover' } : effect);
    }
  }

  /** Whether a turn is open or an effect is owed, so that more events will come. */
  get isOwing(): boolean {
    return this.#isOwing;
  }

  /** What an owed effect would bring back, if that is known already; see `Speculation`. */
  knownOutcome(seq: number): Outcome | null {
    return this.#speculation.known(this.#home.due, seq);
  }

  /** Tells everything to stop; nothing is started any more. */
  end(reason: PawlError): void {
    this.#hasEnded = true;
    for (const { controller } of this.#running.values()) controller.abort(reason);
    this.#speculation.discard();
  }

  /** Resolves when all stopped effects have ended, or have used up their time to end. */
  async settled(): Promise<void> {
    const { clock } = this.#home.ports;
    const all = Promise.all([...this.#running.values()].map(({ done }) => done));
    const overdue = new Promise<void>((resolve) => clock.at(clock.now() + settleMs, resolve));
    await keepingAlive(Promise.race([all, overdue]));
  }

  #start(effect: Effect): void {
    const { ports, state, broadcast, report, runners } = this.#home;
    const controller = new AbortController();
    const running: Running = { controller, isStop: isStopOf(effect), hasReported: false, done: Promise.resolve() };
    this.#running.set(effect.id, running);
    if (effect.kind === 'tool') this.#begun.add(effect.id);
    const context: EffectContext = {
      ports,
      state,
      signal: controller.signal,
      report: (outcome) => {
        // The progress of a task is not its outcome.
        running.hasReported ||= outcome.type !== 'task.changed';
        return report(outcome);
      },
      broadcast,
      speculation: this.#speculation,
    };
    const { seq } = state;
    running.done = run(effect, runners, context)
      .catch((error: unknown) => {
        if (!this.#hasEnded) this.#home.fail(error);
      })
      .finally(() => {
        this.#running.delete(effect.id);
        if (this.#hasEnded || this.#home.isBusy()) return;
        // An effect whose outcome was lost is owed again. One that never has an outcome would be started again for ever.
        this.#fruitless = state.seq === seq ? this.#fruitless + 1 : 0;
        if (this.#fruitless < maxRunsWithoutOutcome) this.act();
        else this.#home.fail(new Error(`Effects such as ${effect.id} end without an outcome.`));
      });
  }
}

async function run(effect: Effect, runners: Runners, context: EffectContext): Promise<void> {
  switch (effect.kind) {
    case 'model':
      return runners.model(effect, context);
    case 'gather':
      return runners.gather(effect, context);
    case 'judge':
      return runners.judge(effect, context);
    case 'tool':
      return runners.tool(effect, context);
    case 'verify':
      return runners.verify(effect, context);
    case 'deliver':
      return runners.deliver(effect, context);
    case 'compact':
      return runners.compact(effect, context);
    case 'task':
      return runners.task(effect, context);
    case 'forward':
      return runners.forward(effect, context);
    case 'timer':
      return runners.timer(effect, context);
    default:
      return effect satisfies never;
  }
}

const isStopOf = (effect: Effect): boolean => 'mode' in effect && effect.mode === 'stop';

const nobody: Actor = { kind: 'engine', id: 'pawl' };

function stopReason({ turn }: State): PawlError {
  if (turn !== null && isOutOfTime(turn)) return new PawlError('max_duration', 'The turn ran out of time.');
  const { by, reason } = turn?.cancel ?? { by: nobody, reason: null };
  return new PawlError('cancelled', `Cancelled by ${by.id}${reason === null ? '.' : `: ${reason}`}`);
}

/** Whether early calls may still be needed. */
function mayUseEarlyCalls({ turn }: State): boolean {
  if (turn === null || turn.cancel !== null || turn.isOverTime) return false;
  return turn.phase === 'model' || turn.phase === 'tools';
}
