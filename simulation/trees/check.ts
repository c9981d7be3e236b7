/** What must hold of a tree of tasks, at every record that becomes durable and when all has come to rest. */
import type { State } from '@pawl/engine/core';
import { evolve, findCall, initialState, openTasks, totalTokens } from '@pawl/engine/core';
import type { DurableEvent } from '@pawl/protocol';
import type { Violate } from '../checks/invariants.ts';
import { answerTokens, answerUsd } from './model.ts';

/** One session of a tree, folded by the engine as it is meant to be, whatever the engine under test does. */
export type Branch = {
  session: string;
  state: State;
  events: DurableEvent[];
  ended: Set<string>;
  assigned: Set<number>;
  inputs: Set<string>;
  answers: number;
};

export const createBranch = (session: string): Branch => ({
  session,
  state: initialState(),
  events: [],
  ended: new Set(),
  assigned: new Set(),
  inputs: new Set(),
  answers: 0,
});

export function checkBranch(
  branch: Branch,
  events: readonly DurableEvent[],
  branches: ReadonlyMap<string, Branch>,
  violate: Violate,
): void {
  for (const event of events) {
    checkEvent(branch, event, branches, violate);
    branch.events.push(event);
    evolve(branch.state, event);
  }
}

function checkEvent(
  branch: Branch,
  event: DurableEvent,
  branches: ReadonlyMap<string, Branch>,
  violate: Violate,
): void {
  const { session, state } = branch;
  const wrong = (invariant: Parameters<Violate>[0], what: string) =>
    violate(invariant, `${session} at ${event.seq}: ${what}`);
  switch (event.type) {
    case 'task.requested':
      if (state.tasks.some(({ id }) => id === event.data.task))
        wrong('I27 task', `${event.data.task} is asked for twice.`);
      if (event.data.depth > 2) wrong('I27 task', `a task at depth ${event.data.depth}.`);
      if (openTasks(state).some(({ key, cancel }) => key === event.data.key && cancel === null)) {
        wrong('I31 once', `the same work is begun twice: ${event.data.key}.`);
      }
      return;
    case 'task.started': {
      const { task, instance, allotment } = event.data;
      const own = state.tasks.find(({ id }) => id === task);
      if (own?.phase !== 'queued' || own.instance !== instance)
        wrong('I27 task', `${task} is not waiting for its turn.`);
      if (own?.cancel != null) wrong('I33 cancel', `${task} begins although it was cancelled.`);
      if (state.tasks.filter(({ phase }) => phase === 'live').length >= 8) wrong('I27 task', 'a ninth works.');
      const limit = state.settings.limits.sessionTokens;
      if (limit === null) return;
      const aside = state.tasks.reduce(
        (sum, { phase, allotment: held }) => sum + (phase === 'live' ? (held?.tokens ?? 0) : 0),
        0,
      );
      if (totalTokens(state.usage) + aside + (allotment.tokens ?? Number.POSITIVE_INFINITY) > limit) {
        wrong('I29 budget', `${task} is given more than is left.`);
      }
      return;
    }
    case 'task.ended': {
      const { task, instance, usage } = event.data;
      const key = `${task} ${instance}`;
      if (branch.ended.has(key)) wrong('I27 task', `${key} ends twice.`);
      branch.ended.add(key);
      const own = state.tasks.find(({ id }) => id === task);
      if (own === undefined || own.phase === 'ended') wrong('I27 task', `${task} was not open.`);
      const most = own?.allotment?.tokens;
      if (most != null && totalTokens(usage) > most + answersOver(own?.session ?? '', branches) * answerTokens) {
        wrong('I29 budget', `${task} has spent ${totalTokens(usage)} of ${most}.`);
      }
      return;
    }
    case 'task.assigned': {
      if (branch.assigned.has(event.data.instance))
        wrong('I31 once', `instance ${event.data.instance} is given twice.`);
      branch.assigned.add(event.data.instance);
      const { parent, task } = state.assignment ?? { parent: '', task: '' };
      const own = branches.get(parent)?.state.tasks.find(({ id }) => id === task);
      if (own === undefined || own.instance < event.data.instance || own.startedAt === 0) {
        wrong('I29 budget', 'it is given what its owner has not set aside.');
      }
      return;
    }
    case 'input.queued':
      if (branch.inputs.has(event.data.input)) wrong('I31 once', `${event.data.input} is taken twice.`);
      branch.inputs.add(event.data.input);
      return;
    case 'tool.started': {
      const tool = findCall(state, event.data.call)?.tool ?? '';
      if (state.settings.rules.deny.includes(tool)) wrong('I30 deny', `${tool} runs, which is denied here.`);
      for (const [above, since] of lineage(branch, branches)) {
        const denied = above.events.find(
          ({ type, data }) => type === 'session.created' && data.rules.deny.includes(tool),
        );
        if (denied !== undefined) wrong('I30 deny', `${tool} runs, which ${above.session} is denied.`);
        const added = above.events.find(
          ({ seq, type, data }) => type === 'rule.added' && data.list === 'deny' && data.rule === tool && seq < since,
        );
        if (added !== undefined) wrong('I30 deny', `${tool} runs, which was denied to ${above.session} before.`);
      }
      return;
    }
    case 'message.added':
      if (event.data.message.role === 'assistant' && event.data.message.isPartial !== true) branch.answers += 1;
      return;
    case 'turn.ended': {
      const { turn } = state;
      const left = openTasks(state).filter(({ isJoined }) => isJoined);
      // A step that is tried again is not waited in.
      if (left.length > 0 && turn?.phase === 'between')
        wrong('I28 waiting', `the turn ends without ${left.map(({ id }) => id)}.`);
      return;
    }
    default:
  }
}

/** Sessions that can each pass their allotment by one answer: the task's own, and those below it. */
function answersOver(session: string, branches: ReadonlyMap<string, Branch>): number {
  return [...branches.keys()].filter((id) => id === session || id.startsWith(`${session}.`)).length;
}

/** The owners above a session, and the event by which each one asked for what leads to it. */
function lineage(branch: Branch, branches: ReadonlyMap<string, Branch>): [Branch, number][] {
  const { assignment } = branch.state;
  const above = assignment === null ? undefined : branches.get(assignment.parent);
  if (assignment === null || above === undefined) return [];
  const asked = above.events.find(({ type, data }) => type === 'task.started' && data.task === assignment.task);
  return [[above, asked?.seq ?? 0], ...lineage(above, branches)];
}

/** When all has healed: every owner has been told of every task, and what was spent is the sum of its parts. */
export function checkRest(branches: ReadonlyMap<string, Branch>, violate: Violate): void {
  for (const branch of branches.values()) {
    if (!isAbandoned(branch, branches)) checkOwner(branch, branches, violate);
  }
  const root = branches.get('s1');
  if (root === undefined) return;
  const answers = [...branches.values()].reduce((sum, branch) => sum + branch.answers, 0);
  const tokens = totalTokens(root.state.usage);
  const isWhole = ![...branches.values()].some(({ state }) => state.tasks.some(isGivenUp));
  if (tokens > answers * answerTokens || (isWhole && tokens !== answers * answerTokens)) {
    violate('I32 sum', `s1 counts ${tokens} tokens for ${answers} answers.`);
  }
  const costUsd = root.state.costUsd ?? Number.NaN;
  if (isWhole && !(Math.abs(costUsd - answers * answerUsd) < 1e-9)) violate('I32 sum', `the cost is ${costUsd}.`);
  const { sessionTokens } = root.state.settings.limits;
  if (sessionTokens !== null && answers * answerTokens > sessionTokens + branches.size * answerTokens) {
    violate('I29 budget', `the tree has spent ${answers * answerTokens} of ${sessionTokens}.`);
  }
}

function checkOwner({ session, state }: Branch, branches: ReadonlyMap<string, Branch>, violate: Violate): void {
  const open = openTasks(state).map(({ id, status }) => `${id} ${status}`);
  if (open.length > 0) violate('I28 waiting', `${session} still waits for ${open.join(', ')}.`);
  if (state.turn !== null) violate('I28 waiting', `${session} is still in turn ${state.turn.number}.`);
  for (const task of state.tasks) {
    if (!task.isReported) violate('I28 waiting', `${session} was not told of ${task.id}.`);
    const below = branches.get(task.session);
    const spent = below === undefined ? 0 : totalTokens(below.state.usage);
    if (totalTokens(task.usage) === spent || isGivenUp(task)) continue;
    violate('I32 sum', `${session} counts ${totalTokens(task.usage)} tokens for ${task.id}, which used ${spent}.`);
  }
}

/** What did not stop in its time was left: what it spent after that nobody counts, and what it waits for nobody sees. */
const isGivenUp = ({ history }: State['tasks'][number]): boolean =>
  history.some(({ message }) => /did not stop in time|could not be/.test(message ?? ''));

function isAbandoned({ state }: Branch, branches: ReadonlyMap<string, Branch>): boolean {
  const { assignment } = state;
  const above = assignment === null ? undefined : branches.get(assignment.parent);
  if (assignment === null || above === undefined) return false;
  const own = above.state.tasks.find(({ id }) => id === assignment.task);
  return (own !== undefined && isGivenUp(own)) || isAbandoned(above, branches);
}
