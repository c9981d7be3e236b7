/** Reading the tasks of a session: settings, budgets, and what is reported about them. */
import type { Allotment, TaskOutcome, TaskSettings, TaskView, Usage } from '@pawl/protocol';
import { windowTokens } from '../history/window.ts';
import { mergeDefined } from '../session/state.ts';
import { subtractUsage, totalTokens } from '../spending/usage.ts';
import type { Settings, State, Turn } from '../state.ts';
import type { Task } from './state.ts';

/** Two below each other, eight at the same time, 25 steps, a quarter of an hour. */
const defaultTaskSettings: TaskSettings = {
  depth: 2,
  live: 8,
  steps: 25,
  durationMs: 900_000,
  idleMs: 120_000,
  stallMs: 300_000,
  resume: 'continue',
};

export function taskSettingsOf({ tasks = {} }: Pick<Settings, 'tasks'>): TaskSettings {
  return mergeDefined(defaultTaskSettings, tasks);
}

export const findTask = (state: Pick<State, 'tasks'>, id: string): Task | undefined =>
  state.tasks.find((task) => task.id === id);

/** The id that the next task of an agent gets. */
export const nextTask = ({ tasks }: Pick<State, 'tasks'>, agent: string): string =>
  `${agent}-${tasks.filter((task) => task.agent === agent).length + 1}`;

/** Tasks that have not ended: queued, working or idle. */
export const openTasks = ({ tasks }: Pick<State, 'tasks'>): Task[] => tasks.filter(({ phase }) => phase !== 'ended');

/** Tasks that belong to a turn: they are cancelled when it is stopped. */
export const tasksOfTurn = (state: State, turn: Turn): Task[] =>
  openTasks(state).filter((task) => task.isJoined || task.turn === turn.number);

/** Tasks that a turn waits for before it ends by itself. */
export const joinedTasks = (state: State): Task[] => openTasks(state).filter(({ isJoined }) => isJoined);

/** How many tasks this session lies below another; 0 for a main session. */
export const depthOf = ({ assignment }: Pick<State, 'assignment'>): number => assignment?.depth ?? 0;

/** What a session may still spend; null is no limit. An unknown cost leaves no dollars. */
type RemainingBudget = { tokens: number | null; usd: number | null };

/** Allotments of working tasks, which nobody else may spend. */
export function allottedToTasks({ tasks }: Pick<State, 'tasks'>): { tokens: number; usd: number } {
  const live = tasks.filter(({ phase }) => phase === 'live');
  return {
    tokens: live.reduce((sum, { allotment }) => sum + (allotment?.tokens ?? 0), 0),
    usd: live.reduce((sum, { allotment }) => sum + (allotment?.usd ?? 0), 0),
  };
}

/** What all limits leave, minus the allotments of working tasks. */
function remainingBudget(state: State): RemainingBudget {
  const { limits } = state.settings;
  const { turn, assignment } = state;
  const aside = allottedToTasks(state);
  const tokens = [
    limitLeft(limits.sessionTokens, totalTokens(state.usage)),
    turn === null ? null : limitLeft(limits.tokens, totalTokens(turn.usage)),
    limitLeft(assignment?.allotment?.tokens ?? null, totalTokens(spentOnTask(state).usage)),
  ];
  const usd = [
    limitLeft(limits.sessionUsd, state.costUsd),
    turn === null ? null : limitLeft(limits.usd, turn.costUsd),
    limitLeft(assignment?.allotment?.usd ?? null, spentOnTask(state).costUsd),
  ];
  return { tokens: without(smallestLimit(tokens), aside.tokens), usd: without(smallestLimit(usd), aside.usd) };
}

/** An answer may always have this many tokens, because a shorter one is rarely of use. */
const minAnswerTokens = 256;

/**
 * The most tokens that the next answer may have. In a task that is what is left of its allotment, so that many tasks
 * together exceed a budget only by little.
 */
export function maxAnswerTokens(state: State): number {
  const limit = state.assignment?.allotment?.tokens ?? null;
  if (limit === null) return Number.POSITIVE_INFINITY;
  const left = limit - totalTokens(spentOnTask(state).usage) - allottedToTasks(state).tokens - windowTokens(state);
  return Math.max(minAnswerTokens, left);
}

/** What a session has spent on its current assignment; in a main session, on everything. */
export function spentOnTask({ usage, costUsd, assignment }: Pick<State, 'usage' | 'costUsd' | 'assignment'>): {
  usage: Usage;
  costUsd: number | null;
} {
  if (assignment === null) return { usage, costUsd };
  const { before } = assignment;
  const cost = costUsd === null || before.costUsd === null ? null : Math.max(0, costUsd - before.costUsd);
  return { usage: subtractUsage(usage, before.usage), costUsd: cost };
}

const limitLeft = (limit: number | null, used: number | null): number | null =>
  limit === null ? null : used === null ? 0 : Math.max(0, limit - used);

function smallestLimit(amounts: readonly (number | null)[]): number | null {
  const limited = amounts.filter((amount) => amount !== null);
  return limited.length === 0 ? null : Math.min(...limited);
}

const without = (left: number | null, aside: number): number | null =>
  left === null ? null : Math.max(0, left - aside);

/** A task that asks for no amount gets this share of what its owner has left, so that something is left for others. */
const defaultShare = 1 / 4;

/** What a task may spend if it starts now; null when nothing is left. */
export function allotmentFor(state: State, { asked }: Pick<Task, 'asked'>): Allotment | null {
  const settings = taskSettingsOf(state.settings);
  const left = remainingBudget(state);
  const tokens = shareOfBudget(asked.tokens ?? null, left.tokens);
  const usd = shareOfBudget(asked.usd ?? null, left.usd);
  const whole = tokens === null ? null : Math.floor(tokens);
  if ((whole !== null && whole < 1) || (usd !== null && usd <= 0)) return null;
  return {
    steps: asked.steps ?? settings.steps,
    tokens: whole,
    usd,
    durationMs: asked.durationMs ?? settings.durationMs,
  };
}

function shareOfBudget(asked: number | null, left: number | null): number | null {
  if (left === null) return asked;
  return asked === null ? left * defaultShare : Math.min(asked, left);
}

/** The key that identifies the same work where none is given: the agent, and the words without case and punctuation. */
export function workKey(agent: string, prompt: string, context = ''): string {
  const plain = `${prompt}\n${context}`.toLowerCase().replace(/[\s\p{P}]+/gu, ' ');
  return `${agent} ${plain.trim()}`;
}

export function taskView(task: Task): TaskView {
  const { id, session, agent, status, isStalled, prompt, instance, message, costUsd } = task;
  return { task: id, session, agent, status, isStalled, prompt, instance, message, costUsd };
}

/** How a task ends that its owner stops. */
export const stoppedOutcome = ({ isOutOfTime }: { isOutOfTime?: boolean | undefined }): 'cancelled' | 'out_of_time' =>
  isOutOfTime === true ? 'out_of_time' : 'cancelled';

const endings: Record<TaskOutcome, string> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'was cancelled',
  out_of_time: 'was stopped for want of time',
  blocked: 'waits for an answer of yours',
};

/** What the owner's model is told about a task that has ended. */
export function taskReport({ id, outcome, message, envelope, filesChanged, unread }: Task): string {
  const said = outcome === null ? 'is not done' : endings[outcome];
  const listed = (name: string, entries: readonly string[]) =>
    entries.length === 0 ? [] : [`${name}:`, ...entries.map((entry) => `- ${entry}`)];
  const body = envelope?.summary ?? message ?? '';
  const answer =
    outcome === 'blocked' ? [`Answer it with task_send to "${id}"; it goes on from where it stopped.`] : [];
  return [
    `Task ${id} ${said}.`,
    ...(body === '' ? [] : [body]),
    ...(envelope?.result === undefined ? [] : [`Result: ${JSON.stringify(envelope.result)}`]),
    ...listed('Files changed', [...new Set([...(envelope?.filesChanged ?? []), ...filesChanged])]),
    ...listed('Verification', envelope?.verification ?? []),
    ...listed('Limitations', envelope?.limitations ?? []),
    ...listed('Risks', envelope?.risks ?? []),
    ...listed('Follow-ups', envelope?.followUps ?? []),
    ...listed('Artifacts', envelope?.artifacts ?? []),
    ...answer,
    ...listed('It had ended before it could read', unread),
  ].join('\n');
}
