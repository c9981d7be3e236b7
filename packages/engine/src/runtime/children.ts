/**
 * Creates, assigns, watches and stops the sessions of tasks. Everything here can be repeated after a crash: a session is
 * created once because its id follows from its owner's log, and each command is accepted once by its id.
 */
import type { Actor, EventBody, EventData } from '@pawl/protocol';
import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import type { ChildCommand, State, Task } from '../core/index.ts';
import { evolve, initialState, ownerId, stoppedOutcome, taskSettingsOf } from '../core/index.ts';
import type { Clock, SessionLog } from '../ports.ts';
import { pause } from '../waiting.ts';
import { childCreation, commandOf, type Role, taskCommand } from './child-orders.ts';
import {
  accountOf,
  filesChangedIn,
  isSessionAtRest,
  type TaskAccount,
  type TaskEnding,
  taskProgress,
  unreachableEnding,
} from './child-state.ts';
import type { LiveSession } from './live-session.ts';
import { listenForSilence } from './silence.ts';

/** Waits before a session that failed is tried again, ms; after the last the task fails. */
const retryWaitsMs = [100, 500, 2000];
/** How often the log of a session that another process drives is read, ms. */
const pollMs = 1000;
/** How long a session that was told to stop may take, ms. */
const stopWithinMs = 10_000;

/** Errors that another try would meet as well. */
const finalCodes: ReadonlySet<string> = new Set([
  'task_lost',
  'unknown_agent',
  'unknown_model',
  'price_unknown',
  'bad_rule',
]);

type Change = Omit<EventData['task.changed'], 'task'>;
type Watch = { signal: AbortSignal; changed(change: Change): Promise<void> };

export interface Children {
  /** Drives the task and resolves to how it ended; null if that is left to another driver of the owner. */
  follow(owner: Readonly<State>, task: Task, watch: Watch): Promise<TaskEnding | null>;
  /** Stops the task and resolves to how far it came. */
  stop(owner: Readonly<State>, task: Task, signal: AbortSignal): Promise<TaskEnding | null>;
  /** Sends a command to a task's session. Resolves to its refusal, if it was refused; null if it could not be sent from here. */
  forward(session: string, command: ChildCommand, signal: AbortSignal): Promise<{ refusal?: string } | null>;
}

export type ChildrenOptions = {
  log: SessionLog;
  clock: Clock;
  /** Nothing is driven here any more. */
  isClosed(): boolean;
  create(id: string, by: Actor, first: readonly EventBody[]): Promise<LiveSession>;
  open(id: string): Promise<LiveSession>;
  /** Stops driving the session, unless a client uses it. */
  letGo(session: LiveSession): void;
  /** Who takes a task. @throws `unknown_agent`. */
  roleOf(agent: string, cwd: string): Promise<Role>;
};

export function createChildren(world: ChildrenOptions): Children {
  const { log, clock } = world;
  const isOver = (signal: AbortSignal) => signal.aborted || world.isClosed();

  const ended = async (task: Task, account: TaskAccount): Promise<TaskEnding> => {
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

  /** Rules and settings are sent before the work. */
  const assign = async (session: LiveSession, owner: Readonly<State>, task: Task) => {
    const isGiven = await session.look(({ assignment }) => (assignment?.instance ?? 0) >= task.instance);
    if (isGiven) return;
    const rules = task.pendingCommands.filter(({ body }) => body.type !== 'input.send');
    for (const command of rules) await sendCommand(session, command);
    const { instance, allotment, isBackground, order } = task;
    if (allotment === null) throw new PawlError('engine_fault', `Task ${task.id} was given nothing to spend.`);
    const { idleMs } = taskSettingsOf(owner.settings);
    const data = { instance, allotment, isBackground, idleMs, text: order };
    await session.command(taskCommand(owner.session, session.id, `assign:${instance}`, { type: 'task.assign', data }));
  };

  /** The account of the task when it is at rest; null if it stops being driven here before that. */
  const untilRest = async (
    session: LiveSession,
    task: Task,
    watch: Watch,
    stallMs: number,
  ): Promise<TaskAccount | null> => {
    const silence = listenForSilence(clock, stallMs, (isStalled) => watch.changed({ isStalled }));
    const events = session.bus.subscribe(undefined, watch.signal);
    let told: Change['status'] | null = null;
    try {
      for (;;) {
        const { account, status, isWorking } = await session.look((state) => ({
          account: isSessionAtRest(state, task.instance) ? accountOf(state) : null,
          ...taskProgress(state),
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
          if (isPawlError(error) && finalCodes.has(error.code)) {
            return unreachableEnding(task, error.message);
          }
          if (isDrivenElsewhere(error)) {
            const state = await elsewhere();
            if (isSessionAtRest(state, task.instance)) return ended(task, accountOf(state));
            await pause(clock, pollMs, signal);
            continue;
          }
          problem = `Its session could not be worked with: ${messageOf(error)}`;
        }
        if (isOver(signal)) return null;
        const waitMs = retryWaitsMs[failures++];
        if (waitMs === undefined) return unreachableEnding(task, problem);
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
        // A session that does not exist yet is created, so that a process that is about to start it learns that it was stopped.
        const session = await reach(owner, task);
        const { instance } = task;
        const data = { instance, reason, ...(task.cancel?.isOutOfTime === true && { isOutOfTime: true as const }) };
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
      const outcome = stoppedOutcome(task.cancel ?? {});
      if (state.assignment?.instance !== task.instance) return { ...unreachableEnding(task, problem), outcome };
      return ended(task, { ...accountOf(state), outcome, message: `${reason} ${problem}` });
    },

    async forward(id, command, signal) {
      for (let failures = 0; ; ) {
        try {
          return await sendCommand(await world.open(id), command);
        } catch (error) {
          if (isOver(signal)) return null;
          const waitMs = isDrivenElsewhere(error) ? pollMs : retryWaitsMs[failures++];
          if (waitMs === undefined) return { refusal: messageOf(error) };
          await pause(clock, waitMs, signal);
          if (isOver(signal)) return null;
        }
      }
    },
  };
}

/** @throws when the session is not driven here. A refusal is a result. */
async function sendCommand(session: LiveSession, command: ChildCommand): Promise<{ refusal?: string }> {
  try {
    await session.command(commandOf(session.id, command));
    return {};
  } catch (error) {
    if (session.hasEnded || !isPawlError(error)) throw error;
    return { refusal: error.message };
  }
}

const isDrivenElsewhere = (error: unknown) =>
  isPawlError(error, 'session_locked') || isPawlError(error, 'session_lost') || isPawlError(error, 'conflict');

/** The state of a session that another process drives, from its log. Each call reads only new events. */
function createFold(log: SessionLog, session: string): () => Promise<State> {
  const state = initialState();
  return async () => {
    for (const event of await log.read(session, state.seq)) evolve(state, event);
    return state;
  };
}
