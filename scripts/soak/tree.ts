/** Trees of up to eight tasks with shells, on a model whose work takes for ever: what is stopped, and how one sees what is left. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { WireAnswer, WireRequest } from '@pawl/models/testing';
import { messageOf } from '@pawl/protocol';
import type { Random } from '../../simulation/world/random.ts';

export type TreePlan = {
  seed: number;
  tasks: number;
  isBehind: boolean;
  isDeep: boolean;
  /** Shells that are at work before anything is stopped, and the time from then on, ms. */
  atWork: number;
  delayMs: number;
};

/** How long shells may take to begin, ms; where there are fewer than wanted. */
const longestBeginMs = 15_000;

export function treePlan(random: Random, seed: number, tasks: number): TreePlan {
  return {
    seed,
    tasks,
    isBehind: random.chance(0.3),
    isDeep: random.chance(0.2),
    // Before the model has answered, while tasks begin, and when all of them have their shells.
    atWork: random.pick([0, random.below(tasks + 1), tasks, tasks]),
    delayMs: random.pick([0, 0, random.below(50), random.below(400)]),
  };
}

/** Where a try takes place: `root` is its own, `folder` in it is worked in, `mark` tells its shells from all others. */
export type Ground = { root: string; folder: string; mark: string };

/** What went wrong in a try, or what it left behind; null for nothing. */
export async function onGround(
  { seed }: TreePlan,
  patienceMs: number,
  work: (ground: Ground) => Promise<string | null>,
): Promise<string | null> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-soak-')));
  const folder = join(root, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.txt'), 'alpha\n');
  const mark = `309.${process.pid}${String(seed).padStart(7, '0')}`;
  try {
    const problem = await within(work({ root, folder, mark }), patienceMs, 'It did not come to an end.');
    if (problem !== null) return problem;
    const left = await processesLeft(mark);
    if (left.length > 0) return `Processes are left: ${left.join('; ')}`;
    const files = readdirSync(folder);
    return files.join() === 'a.txt' ? null : `Files are left: ${files.join(', ')}`;
  } catch (error) {
    return messageOf(error);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** What else the owner does than delegate and wait. */
export type OwnerWork = {
  /** Its tasks work behind it. */
  isBackground: boolean;
  /** It has a shell of its own beside them. */
  hasShell: boolean;
  /** It cancels all of them in one step, when this resolves. */
  cancelsAfter?: Promise<void>;
};

/** What a model says whose work takes for ever: the owner delegates, its tasks run shells. */
export function answerTo({ messages }: WireRequest, plan: TreePlan, mark: string, owner: OwnerWork): WireAnswer {
  const { tasks, isDeep } = plan;
  const answers = messages.filter(({ role }) => role === 'assistant').length;
  const asked = messages.find(({ role }) => role === 'user')?.text ?? '';
  const work = (name: string, more = {}) => ({ tool: 'task', input: { prompt: `Work ${name}`, ...more } });
  const shell = { calls: [{ tool: 'bash', input: { command: `sleep ${mark}` } }] };
  if (asked.includes('Work ')) {
    if (answers > 0) return { calls: [{ tool: 'complete', input: { summary: 'Done.' } }] };
    return isDeep && asked.includes('Work 1') ? { calls: [work('deep one'), work('deep two')] } : shell;
  }
  if (messages.some(({ text }) => text.includes('Are you there?'))) return { text: 'Yes.' };
  const names = Array.from({ length: tasks }, (_, place) => String(place + 1));
  if (answers === 0) return { calls: names.map((name) => work(name, owner.isBackground ? { background: true } : {})) };
  if (answers > 1) return { text: 'Done.' };
  if (owner.cancelsAfter !== undefined) {
    return {
      calls: names.map((name) => ({ tool: 'task_cancel', input: { task: `builder-${name}` } })),
      after: owner.cancelsAfter,
    };
  }
  return owner.hasShell ? shell : { text: 'Done.' };
}

/** When as many shells are at work as the plan wants, or no more come. */
export async function untilTime({ atWork, delayMs }: TreePlan, mark: string): Promise<void> {
  const begun = Date.now();
  while (processesWith(mark) < atWork && Date.now() - begun < longestBeginMs) await after(20);
  await after(delayMs);
}

const processesWith = (mark: string): number =>
  readdirSync('/proc').filter(
    (id) => /^\d+$/.test(id) && commandOf(id).some((line) => line.startsWith(`sleep ${mark}`)),
  ).length;

async function within<Value>(work: Promise<Value>, patienceMs: number, problem: string): Promise<Value | string> {
  const limit = new AbortController();
  const late = after(patienceMs, problem, { signal: limit.signal });
  late.catch(() => undefined);
  return Promise.race([work, late]).finally(() => limit.abort());
}

/** Command lines in which the mark stands, after those that are ending have had their time. */
async function processesLeft(mark: string): Promise<string[]> {
  for (let looks = 0; ; looks++) {
    const left = readdirSync('/proc').flatMap((id) => (/^\d+$/.test(id) ? commandOf(id) : []));
    const marked = left.filter((line) => line.includes(mark));
    if (marked.length === 0 || looks === 100) return marked;
    await after(50);
  }
}

function commandOf(id: string): string[] {
  try {
    return [readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')];
  } catch {
    return [];
  }
}
