/**
 * Trees of up to eight tasks at work, each with shells, and then all of them stopped in one of the ways in which that
 * happens: no fault shows, every task ends, no process and no file is left, and the next input is answered.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { createHost } from '@pawl/engine';
import { anthropic } from '@pawl/models';
import { type WireAnswer, type WireRequest, wireServer } from '@pawl/models/testing';
import type { SessionClient } from '@pawl/protocol';
import { isPawlError, messageOf } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { builtinTools } from '@pawl/tools';
import type { Random } from '../../simulation/world/random.ts';
import { createRandom } from '../../simulation/world/random.ts';
import type { SoakOptions, SoakPart } from './part.ts';

const ways = ['cancel', 'interrupt', 'max_duration', 'task_cancels', 'tool_cancels', 'cancel_twice', 'close'] as const;
type Way = (typeof ways)[number];

type Plan = {
  seed: number;
  way: Way;
  tasks: number;
  isBehind: boolean;
  isDeep: boolean;
  /** Shells that are at work before anything is stopped, and the time from then on, ms. */
  atWork: number;
  delayMs: number;
};

/** Tries that run at the same time. */
const mostAtOnce = 10;
/** How long shells may take to begin, ms; where there are fewer than wanted. */
const longestBeginMs = 15_000;
/** How long anything may take, ms; far longer than it does. */
const patienceMs = 60_000;

export const stops: SoakPart = {
  name: 'stops',
  what: 'cancels, interrupts and limits of time over trees of tasks with shells',
  times: 1000,
  run: runStops,
};

async function runStops({ times, seed: first, note }: SoakOptions): Promise<readonly string[]> {
  const failures: string[] = [];
  let next = first;
  let done = 0;
  const worker = async () => {
    while (next < first + times) {
      const plan = planOf(next++);
      const problem = await tryPlan(plan);
      if (problem !== null) failures.push(`seed ${plan.seed} (${JSON.stringify(plan)}): ${problem}`);
      done += 1;
      if (done % 50 === 0) note(`${done} of ${times}, ${failures.length} failed`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, times) }, worker));
  return failures;
}

function planOf(seed: number): Plan {
  const random: Random = createRandom(seed);
  const tasks = 1 + random.below(8);
  return {
    seed,
    way: random.pick(ways),
    tasks,
    isBehind: random.chance(0.3),
    isDeep: random.chance(0.2),
    // Before the model has answered, while tasks begin, and when all of them have their shells.
    atWork: random.pick([0, random.below(tasks + 1), tasks, tasks]),
    delayMs: random.pick([0, 0, random.below(50), random.below(400)]),
  };
}

/** What went wrong, or null. */
async function tryPlan(plan: Plan): Promise<string | null> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-soak-')));
  const folder = join(root, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.txt'), 'alpha\n');
  /** Tells the shells of this try from all others. */
  const mark = `309.${process.pid}${String(plan.seed).padStart(7, '0')}`;
  try {
    const problem = await within(stopAndLook(plan, root, folder, mark), 'It did not come to an end.');
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

async function stopAndLook(plan: Plan, root: string, folder: string, mark: string): Promise<string | null> {
  const isTime = untilTime(plan, mark);
  const server = await wireServer((request) => answerTo(request, plan, mark, isTime));
  const log = sqliteLog({ path: join(root, 'pawl.db') });
  const model = anthropic({ model: 'claude-sonnet-4-5', baseUrl: server.url, apiKey: 'test-key' });
  const host = () => createHost({ log, model, tools: builtinTools() });
  let driving = host();
  try {
    let session = await driving.create({ id: 'main', cwd: folder, mode: 'auto', limits: { steps: 10 } });
    const begun = Date.now();
    const faults: string[] = [];
    watch(session, faults);
    const turn = session.run('Begin.').then(
      ({ outcome }) => outcome,
      (error: unknown) => `ended by ${isPawlError(error) ? error.code : messageOf(error)}`,
    );
    await isTime;
    if (plan.way === 'max_duration') await session.configure({ limits: { durationMs: Date.now() - begun + 1 } });
    const problem = await stop(plan, session, driving.close);
    if (plan.way === 'close') {
      driving = host();
      session = await driving.open('main');
      watch(session, faults);
      // What was left open is gone on with; now it is stopped for good.
      await session.cancel().catch(() => undefined);
    }
    const outcome = await turn;
    const isExpected =
      plan.way === 'close' ? outcome === 'ended by session_closed' : expected[plan.way].includes(outcome);
    if (problem !== null) return problem;
    if (!isExpected && outcome !== 'completed') return `The turn is ${outcome}.`;
    if (plan.way === 'max_duration') await session.configure({ limits: { durationMs: null } });
    const answer = await session.run('Are you there?');
    if (answer.outcome !== 'completed' || answer.text !== 'Yes.') {
      return `The next input ends as ${answer.outcome}: ${answer.message} ${answer.text}`;
    }
    await tasksOver(session);
    return faults[0] ?? null;
  } finally {
    await driving.close();
    await log.close();
    await server.close();
  }
}

const expected: Record<Exclude<Way, 'close'>, readonly string[]> = {
  cancel: ['cancelled'],
  cancel_twice: ['cancelled'],
  interrupt: ['cancelled'],
  max_duration: ['max_duration'],
  task_cancels: ['completed'],
  tool_cancels: ['completed'],
};

/** Faults of the engine, wherever they show. */
function watch(session: SessionClient, faults: string[]): void {
  (async () => {
    for await (const event of session.events()) {
      if (event.type === 'notice' && event.data.level === 'error') faults.push(event.data.message);
    }
  })().catch((error: unknown) => faults.push(`The events end with: ${messageOf(error)}`));
}

/** Stops all that is at work; what is wrong with how that goes, or null. */
async function stop({ way, tasks }: Plan, session: SessionClient, close: () => Promise<void>): Promise<string | null> {
  switch (way) {
    case 'cancel':
    case 'cancel_twice':
      // The turn may not have begun yet.
      do {
        await Promise.all(Array.from({ length: way === 'cancel' ? 1 : 2 }, () => isAccepted(session.cancel())));
        await after(10);
      } while ((await session.view()).turn !== null);
      return null;
    case 'interrupt': {
      const { text } = await session.run('Are you there?', { delivery: 'interrupt' });
      return text === 'Yes.' ? null : `The input that interrupts is answered with "${text}".`;
    }
    case 'task_cancels': {
      // As they are asked for, one after another, until each of them is stopped.
      const left = new Set(Array.from({ length: tasks }, (_, place) => `builder-${place + 1}`));
      while (left.size > 0 && (await session.view()).turn !== null) {
        const asked = [...left].map(async (task) => {
          if (await isAccepted(session.command('task.cancel', { task }))) left.delete(task);
        });
        await Promise.all(asked);
        await after(10);
      }
      return null;
    }
    case 'max_duration':
    case 'tool_cancels':
      return null;
    case 'close':
      await close();
      return null;
    default:
      return way satisfies never;
  }
}

/** Whether a command was accepted; a refusal is an answer like another, as when there is no turn yet. */
function isAccepted(receipt: Promise<unknown>): Promise<boolean> {
  return receipt.then(
    () => true,
    (error: unknown) => {
      if (isPawlError(error, 'engine_fault')) throw error;
      return false;
    },
  );
}

const over: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'waiting_on_owner']);

async function tasksOver(session: SessionClient): Promise<void> {
  while ((await session.view()).tasks.some(({ status }) => !over.has(status))) await after(20);
}

/** What a model says whose work takes for ever: the owner delegates, its tasks run shells. */
function answerTo({ messages }: WireRequest, plan: Plan, mark: string, isTime: Promise<void>): WireAnswer {
  const { way, tasks, isBehind, isDeep } = plan;
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
  const isBackground = isBehind || way === 'tool_cancels';
  if (answers === 0) return { calls: names.map((name) => work(name, isBackground ? { background: true } : {})) };
  if (answers > 1) return { text: 'Done.' };
  if (way === 'tool_cancels') {
    return {
      calls: names.map((name) => ({ tool: 'task_cancel', input: { task: `builder-${name}` } })),
      after: isTime,
    };
  }
  return isBackground && way !== 'task_cancels' ? shell : { text: 'Done.' };
}

/** When as many shells are at work as the plan wants, or no more come. */
async function untilTime({ atWork, delayMs }: Plan, mark: string): Promise<void> {
  const begun = Date.now();
  while (processesWith(mark) < atWork && Date.now() - begun < longestBeginMs) await after(20);
  await after(delayMs);
}

const processesWith = (mark: string): number =>
  readdirSync('/proc').filter(
    (id) => /^\d+$/.test(id) && commandOf(id).some((line) => line.startsWith(`sleep ${mark}`)),
  ).length;

async function within<Value>(work: Promise<Value>, problem: string): Promise<Value | string> {
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
