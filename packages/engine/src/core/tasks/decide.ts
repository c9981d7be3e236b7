/** Commands to the tasks of a session, and to a session that is a task. */
import type { CommandData, EventBody } from '@pawl/protocol';
import { modeWith } from '../agents/profile.ts';
import type { Decision, FingerprintedCommand } from '../decision.ts';
import { accept, refuse } from '../decision.ts';
import { schemaFault } from '../json-schema.ts';
import type { State } from '../state.ts';
import { isStopping } from '../turn/ending.ts';
import { ownerId } from './evolve.ts';
import { depthOf, findTask, nextTask, openTasks, stoppedOutcome, taskSettingsOf, workKey } from './tasks.ts';

export type TaskCommand = Extract<FingerprintedCommand, { type: `task.${string}` }>;

/** Tasks that one session may have open at once. */
const maxOpen = 100;

export function decideTask(state: State, command: TaskCommand): Decision {
  switch (command.type) {
    case 'task.start':
      return start(state, command);
    case 'task.send':
      return send(state, command);
    case 'task.cancel': {
      const { task: id, reason } = command.data;
      const task = findTask(state, id);
      if (task === undefined) return noTask(state, id);
      if (task.phase === 'ended') return refuse('task_ended', `Task ${id} has ended already.`);
      if (task.cancel !== null) return refuse('already_cancelled', `Task ${id} is being cancelled already.`);
      const said = `Cancelled by ${command.by.id}${reason === undefined ? '' : `: ${reason}`}.`.replace(/\.\.$/, '.');
      return accept({ type: 'task.cancelled', data: { task: id, reason: said } });
    }
    case 'task.assign':
      return assign(state, command);
    case 'task.stop':
      return stop(state, command);
    default:
      return command satisfies never;
  }
}

function start(state: State, command: TaskCommand & { type: 'task.start' }): Decision {
  const {
    agent,
    prompt,
    context,
    tools,
    scope,
    call,
    isBackground,
    isJoined,
    limits = {},
    planStep,
    outputSchema,
  } = command.data;
  const { turn, assignment } = state;
  const depth = depthOf(state) + 1;
  const most = taskSettingsOf(state.settings).depth;
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(agent)) {
    return refuse('bad_agent', `"${agent}" cannot be the name of an agent: use letters, digits, "-" and "_".`);
  }
  const fault = outputSchema === undefined ? null : schemaFault(outputSchema);
  if (fault !== null) return refuse('bad_schema', `The schema of the result is no JSON Schema: ${fault}`);
  const { delegates = null } = state.settings.profile ?? {};
  if (delegates !== null && command.by.kind !== 'human' && !delegates.includes(agent)) {
    const others = delegates.length === 0 ? 'nobody' : delegates.join(', ');
    return refuse('no_delegate', `This agent may give tasks to ${others}, and not to ${agent}.`);
  }
  if (depth > most) return refuse('too_deep', `Tasks go ${most} deep and no deeper. Do this yourself.`);
  if ((turn !== null && isStopping(turn)) || (assignment !== null && assignment.finished !== null)) {
    return refuse('ending', 'This is being ended; nothing new is begun.');
  }
  if (limits.usd != null && !state.settings.modelInfo.isPriceKnown) {
    return refuse('price_unknown', 'A limit in dollars needs a model whose price is known. Limit tokens or steps.');
  }
  const key = command.data.key ?? workKey(agent, prompt, context);
  if (assignment?.keys.includes(key) === true) {
    return refuse('same_work', 'That is the very work that you are part of. Do it, or delegate less of it.');
  }
  const same = openTasks(state).find((task) => task.key === key && task.cancel === null);
  if (same !== undefined) {
    if (call === undefined || same.calls.includes(call)) return accept();
    return accept({ type: 'task.joined', data: { task: same.id, call, isBackground } });
  }
  if (openTasks(state).length >= maxOpen) {
    return refuse('too_many_tasks', `${maxOpen} tasks are open already. Wait for some of them, or cancel them.`);
  }
  const id = nextTask(state, agent);
  const allowed = assignment?.tools;
  const chosen = tools?.filter((tool) => allowed === undefined || allowed.includes(tool)) ?? allowed;
  const { steps, tokens, usd, durationMs } = limits;
  const requested: EventBody = {
    type: 'task.requested',
    data: {
      task: id,
      session: `${state.session}.${id}`,
      agent,
      prompt,
      ...(context !== undefined && { context }),
      ...(chosen !== undefined && { tools: [...chosen] }),
      ...(scope !== undefined && { scope }),
      ...(call !== undefined && { call }),
      isBackground,
      isJoined,
      key,
      depth,
      asked: {
        ...(steps !== undefined && { steps }),
        ...(tokens != null && { tokens }),
        ...(usd != null && { usd }),
        ...(durationMs != null && { durationMs }),
      },
      ...(planStep !== undefined && { planStep }),
      ...(outputSchema !== undefined && { outputSchema }),
    },
  };
  return accept(requested);
}

/** For a working task this is a message; a task that has ended is reopened with it. */
function send(state: State, command: TaskCommand & { type: 'task.send' }): Decision {
  const { task: id, text, delivery } = command.data;
  const task = findTask(state, id);
  if (task === undefined) return noTask(state, id);
  if (task.isForeign) {
    return refuse('foreign_task', `Task ${id} belongs to the session that this one was forked from. Start another.`);
  }
  if (task.cancel !== null && task.phase !== 'ended') return refuse('ending', `Task ${id} is being cancelled.`);
  if (task.phase === 'ended') {
    return accept({ type: 'task.reopened', data: { task: id, instance: task.instance + 1, reason: text } });
  }
  const message = `${state.session}:${command.id}`.slice(-200);
  return accept({ type: 'task.sent', data: { task: id, message, text, delivery } });
}

function noTask(state: State, id: string): Decision {
  const known = state.tasks.map((task) => task.id);
  return refuse('no_task', `There is no task "${id}". ${known.length === 0 ? 'There is none.' : known.join(', ')}`);
}

/** Whether a command comes from the session that owns this task. */
export function isOwner({ assignment }: State, { by }: Pick<FingerprintedCommand, 'by'>): boolean {
  return assignment !== null && by.kind === 'agent' && by.id === ownerId(assignment.parent);
}

/** Applies the owner's new settings, but never a mode wider than the task's own agent has. */
export function configureTask({ settings }: State, given: CommandData['session.configure']): Decision {
  const mode = given.mode === undefined ? undefined : modeWith(settings.profile, given.mode);
  const { isAttended } = given;
  const data = { ...(mode !== undefined && { mode }), ...(isAttended !== undefined && { isAttended }) };
  return accept({ type: 'session.configured', data });
}

const notOwner = () => refuse('not_owner', 'Only the session that asked for this task can do that.');

function assign(state: State, command: TaskCommand & { type: 'task.assign' }): Decision {
  const { text, ...data } = command.data;
  const { assignment } = state;
  if (assignment === null || !isOwner(state, command)) return notOwner();
  if (data.instance <= assignment.instance) {
    return refuse('old_instance', `Instance ${data.instance} of this task was begun before.`);
  }
  const content = [{ type: 'text' as const, text }];
  return accept(
    { type: 'task.assigned', data },
    { type: 'input.queued', data: { input: command.id, delivery: 'queue', content } },
  );
}

function stop(state: State, command: TaskCommand & { type: 'task.stop' }): Decision {
  const { instance, reason, isOutOfTime } = command.data;
  const { assignment, turn } = state;
  if (assignment === null || !isOwner(state, command)) return notOwner();
  if (instance < assignment.instance) return refuse('old_instance', `This is instance ${assignment.instance}.`);
  const events: EventBody[] = [];
  // An instance that was not assigned yet counts as finished when it comes.
  if (assignment.finished === null || instance > assignment.instance) {
    const outcome = stoppedOutcome(command.data);
    events.push({ type: 'task.finished', data: { instance, outcome, message: reason, envelope: null } });
  }
  if (turn !== null && turn.cancel === null) {
    events.push({
      type: 'cancel.requested',
      data: { turn: turn.number, reason, queue: 'wait', ...(isOutOfTime && { isOutOfTime }) },
    });
  }
  return accept(...events);
}
