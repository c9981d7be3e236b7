/**
 * The sessions of tasks: made, set to work, watched until they end, stopped. Everything here can be begun again after
 * a crash: a session is made once because its id follows from its owner's log, and takes what it is given once, by the
 * id of the command that gives it.
 */
import type { Actor, EventBody, EventData } from '@pawl/protocol';
import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import type { ChildCommand, State, Task } from '../core/index.ts';
import { evolve, initialState, ownerId, taskSettingsOf } from '../core/index.ts';
import type { Clock, SessionLog } from '../ports.ts';
import { pause } from '../waiting.ts';
import { childCreation, commandOf, type Role, taskCommand } from './child-orders.ts';
import {
  type Account,
  accountOf,
  atRest,
  filesChangedIn,
  notReached,
  type TaskEnding,
  whereabouts,
} from './child-state.ts';
import type { LiveSession } from './live-session.ts';
import { listenForSilence } from './silence.ts';

/** Pauses before a session that could not be worked with is tried again, ms; after the last it is given up. */
const retryWaitsMs = [100, 500, 2000];
/** How often the log of a session that is driven elsewhere is looked at, ms. */
const lookEveryMs = 1000;
/** How long a session that was told to stop may take, ms. */
const stopWithinMs = 10_000;

/** What another try would meet as well. */
const hopeless: ReadonlySet<string> = new Set([
  'task_lost',
  'unknown_agent',
  'unknown_model',
  'price_unknown',
  'bad_rule',
]);

type Change = Omit<EventData['task.changed'], 'task'>;
type Watch = { signal: AbortSignal; changed(change: Change): Promise<void> };

export interface Children {
  /** Sees that the task is worked at, and gives how it ended; null if that is left to another driver of the owner. */
  follow(owner: Readonly<State>, task: Task, watch: Watch): Promise<TaskEnding | null>;
  /** Stops it; how far it came. */
  stop(owner: Readonly<State>, task: Task, signal: AbortSignal): Promise<TaskEnding | null>;
  /** Hands over a letter; its refusal, if it was refused; null if it could not be handed over here. */
  post(session: string, letter: ChildCommand, signal: AbortSignal): Promise<{ refusal?: string } | null>;
}

export type ChildrenWorld = {
  log: SessionLog;
  clock: Clock;
  /** Nothing is driven here any more. */
  isClosed(): boolean;
  create(id: string, by: Actor, first: readonly EventBody[]): Promise<LiveSession>;
  open(id: string): Promise<LiveSession>;
  /** Drives it no further, unless a client has a hold on it. */
  letGo(session: LiveSession): void;
  /** Who takes a task. @throws `unknown_agent`. */
  roleOf(agent: string, cwd: string): Promise<Role>;
};

export function createChildren(world: ChildrenWorld): Children {
  const { log, clock } = world;
  const isOver = (signal: AbortSignal) => signal.aborted || world.isClosed();

  const ended = async (task: Task, account: Account): Promise<TaskEnding> => {
    const { afterSeq, ...rest } = account;
    return { ...rest, filesChanged: filesChangedIn(await log.read(task.session), afterSeq) };
  };

  /** The task's session, driven here. @throws `session_locked` while another process drives it; `task_lost`. */
  const reach = async (owner: Readonly<State>, task: Task): Promise<LiveSession> => {
    const isThere = (await log.read(task.session)).length > 0;
    if (isThere) return world.open(task.session);
    if (task.hasSession) {
      throw new PawlError('task_lost', `The log of task ${task.id} is gone, and with it what the task did.`);
    }
    const role = await world.roleOf(task.agent, owner.settings.cwd);
    if (role.model?.info.isPriceKnown === false && task.allotment?.usd != null) {
      const why = `Its model ${role.model.id} has no known price, and it was given dollars to spend.`;
      throw new PawlError('price_unknown', `${why} Limit tokens or steps instead, or give the agent another model.`);
    }
    return world.create(task.session, { kind: 'agent', id: ownerId(owner.session) }, [
      childCreation(owner, task, role),
    ]);
  };

  /** What holds for it now comes before what it is to do. */
  const assign = async (session: LiveSession, owner: Readonly<State>, task: Task) => {
    const isGiven = await session.look(({ assignment }) => (assignment?.instance ?? 0) >= task.instance);
    if (isGiven) return;
    const rules = task.pendingCommands.filter(({ body }) => body.type !== 'input.send');
    for (const letter of rules) await hand(session, letter);
    const { instance, allotment, isBackground, order } = task;
    if (allotment === null) throw new PawlError('engine_fault', `Task ${task.id} was given nothing to spend.`);
    const { idleMs } = taskSettingsOf(owner.settings);
    const data = { instance, allotment, isBackground, idleMs, text: order };
    await session.command(taskCommand(owner.session, session.id, `assign:${instance}`, { type: 'task.assign', data }));
  };

  /** The account of the task when it rests; null when it is not driven here any more before that. */
  const untilRest = async (
    session: LiveSession,
    task: Task,
    watch: Watch,
    stallMs: number,
  ): Promise<Account | null> => {
    const silence = listenForSilence(clock, stallMs, (isStalled) => watch.changed({ isStalled }));
    const events = session.bus.subscribe(undefined, watch.signal);
    let told: Change['status'] | null = null;
    try {
      for (;;) {
        const { account, status, isWorking } = await session.look((state) => ({
          account: atRest(state, task.instance) ? accountOf(state) : null,
          ...whereabouts(state),
        }));
        if (account !== null) return account;
        silence.heard(isWorking);
        if (status !== told) await watch.changed({ status });
        told = status;
        for (;;) {
          const { done, value } = await events.next();
          if (done === true) return null;
          silence.heard(isWorking);
          if ('seq' in value) break;
        }
      }
    } finally {
      silence.end();
      await events.return();
    }
  };

  return {
    async follow(owner, given, watch) {
      const { signal } = watch;
      const { stallMs } = taskSettingsOf(owner.settings);
      const elsewhere = createFold(log, given.session);
      let task = given;
      for (let failures = 0; ; ) {
        let problem = 'Its session was closed before it had ended.';
        try {
          const session = await reach(owner, task);
          await assign(session, owner, task);
          task = { ...task, hasSession: true };
          const account = await untilRest(session, task, watch, stallMs);
          if (account !== null) {
            const ending = await ended(task, account);
            world.letGo(session);
            return ending;
          }
        } catch (error) {
          if (isOver(signal)) return null;
          if (isPawlError(error) && hopeless.has(error.code)) {
            return notReached(task, error.message);
          }
          if (isDrivenElsewhere(error)) {
            const state = await elsewhere();
            if (atRest(state, task.instance)) return ended(task, accountOf(state));
            await pause(clock, lookEveryMs, signal);
            continue;
          }
          problem = `Its session could not be worked with: ${messageOf(error)}`;
        }
        if (isOver(signal)) return null;
        const waitMs = retryWaitsMs[failures++];
        if (waitMs === undefined) return notReached(task, problem);
        await pause(clock, waitMs, signal);
      }
    },

    async stop(owner, task, signal) {
      const reason = task.cancel?.reason ?? 'It was stopped.';
      const elsewhere = createFold(log, task.session);
      let problem = 'It did not stop in time; look at what it left.';
      const late = new AbortController();
      const callOff = clock.at(clock.now() + stopWithinMs, () => late.abort());
      signal.addEventListener('abort', () => late.abort(), { once: true });
      try {
        // One that is not there yet is made, to tell whoever still means to begin it that it is over.
        const session = await reach(owner, task);
        const { instance } = task;
        const data = { instance, reason };
        await session.command(taskCommand(owner.session, session.id, `stop:${instance}`, { type: 'task.stop', data }));
        const watch = { signal: late.signal, changed: () => Promise.resolve() };
        const account = await untilRest(session, task, watch, stopWithinMs);
        if (account !== null) {
          const ending = await ended(task, account);
          world.letGo(session);
          return ending;
        }
      } catch (error) {
        problem = `It could not be stopped from here: ${messageOf(error)}`;
      } finally {
        callOff();
      }
      if (isOver(signal)) return null;
      const state = await elsewhere();
      if (state.assignment?.instance !== task.instance) return { ...notReached(task, problem), outcome: 'cancelled' };
      return ended(task, { ...accountOf(state), outcome: 'cancelled', message: `${reason} ${problem}` });
    },

    async post(id, letter, signal) {
      for (let failures = 0; ; ) {
        try {
          return await hand(await world.open(id), letter);
        } catch (error) {
          if (isOver(signal)) return null;
          const waitMs = isDrivenElsewhere(error) ? lookEveryMs : retryWaitsMs[failures++];
          if (waitMs === undefined) return { refusal: messageOf(error) };
          await pause(clock, waitMs, signal);
          if (isOver(signal)) return null;
        }
      }
    },
  };
}

/** @throws when the session is not driven here; what it refuses is an answer. */
async function hand(session: LiveSession, letter: ChildCommand): Promise<{ refusal?: string }> {
  try {
    await session.command(commandOf(session.id, letter));
    return {};
  } catch (error) {
    if (session.hasEnded || !isPawlError(error)) throw error;
    return { refusal: error.message };
  }
}

const isDrivenElsewhere = (error: unknown) =>
  isPawlError(error, 'session_locked') || isPawlError(error, 'session_lost') || isPawlError(error, 'conflict');

/** The state of a session that is driven elsewhere, as of its log; each look reads only what is new. */
function createFold(log: SessionLog, session: string): () => Promise<State> {
  const state = initialState();
  return async () => {
    for (const event of await log.read(session, state.seq)) evolve(state, event);
    return state;
  };
}
