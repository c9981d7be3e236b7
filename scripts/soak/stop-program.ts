/** A tree of tasks that `pawl run` drives, stopped from its terminal, by another `pawl`, by its own limit, or killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { wireServer } from '@pawl/models/testing';
import type { Random } from '../../simulation/world/random.ts';
import { answerTo, type Ground, onGround, type TreePlan, treePlan, untilTime } from './tree.ts';

const ways = [
  'ctrl_c',
  'ctrl_c_twice',
  'sigint',
  'sigterm',
  'sighup',
  'kill',
  'max_duration',
  'cancel',
  'send_interrupt',
  'task_cancels',
] as const;
type Way = (typeof ways)[number];
export type ProgramPlan = TreePlan & {
  way: Way;
  /** With `max_duration`: the turn's time, ms. */
  durationMs: number;
  /** The program is stopped as soon as it is started, wherever it is by then. */
  isEarly: boolean;
};

/** How long a whole try may take, ms; each of its programs takes a second where nothing else runs. */
const patienceMs = 180_000;

const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
const program = fileURLToPath(new URL('../../packages/cli/bin/pawl.js', import.meta.url));

export function programPlan(random: Random, seed: number): ProgramPlan {
  const tasks = 1 + random.below(8);
  const way = random.pick(ways);
  const durationMs = 300 + random.below(5000);
  const isEarly = way !== 'max_duration' && random.chance(0.1);
  return { way, durationMs, isEarly, ...treePlan(random, seed, tasks) };
}

/** What went wrong, or null. */
export const stopProgram = (plan: ProgramPlan): Promise<string | null> =>
  onGround(plan, patienceMs, (ground) => stopAndLook(plan, ground));

async function stopAndLook(plan: ProgramPlan, ground: Ground): Promise<string | null> {
  const { way, isBehind } = plan;
  const owner = { isBackground: isBehind, hasShell: isBehind && way !== 'task_cancels' };
  const server = await wireServer((request) => answerTo(request, plan, ground.mark, owner));
  const pawl = programIn(ground, server.url);
  try {
    const limit = way === 'max_duration' ? ['--max-duration', `${plan.durationMs}ms`] : [];
    const run = pawl('run', '--session-id', 'main', '--permission-mode', 'auto', ...limit, 'Begin.');
    if (plan.isEarly) await after(plan.delayMs * 2);
    else {
      while (server.requests.length === 0 && run.child.exitCode === null) await after(20);
      if (way !== 'max_duration') await untilTime(plan, ground.mark);
    }
    const stopped = await stop(plan, run, pawl);
    if (stopped !== null) return stopped;
    const ended = await run.ended;
    const isExpected = expected[way].includes(ended.code ?? ended.signal ?? '') || ended.code === 0;
    if (!isExpected) return `The run ended with ${ended.code ?? ended.signal}: ${ended.said}`;
    if (faults.test(ended.said)) return `The run said: ${ended.said}`;
    return await goesOn(plan, ended, pawl, ground);
  } finally {
    await server.close();
  }
}

/** What a process that ended by a signal, or with an exit code, may say so with. */
const expected: Record<Way, readonly (number | string)[]> = {
  ctrl_c: [130, 'SIGINT'],
  ctrl_c_twice: [130, 'SIGINT'],
  sigint: [130, 'SIGINT'],
  sigterm: [130, 'SIGTERM'],
  sighup: [130, 'SIGHUP'],
  kill: ['SIGKILL'],
  max_duration: [4],
  cancel: [130],
  send_interrupt: [130],
  task_cancels: [],
};

/** How faults of ours show. */
const faults = /should not have|without an outcome|engine_fault|Error:|\n\s+at /;

type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; said: string };
type Running = { child: ChildProcess; ended: Promise<Ended> };
type Program = (...args: string[]) => Running;

/** `pawl` with data and temporary files of its own, in a process group of its own as a shell would start it. */
function programIn({ root, folder }: Ground, url: string): Program {
  const temporary = join(root, 'temporary');
  for (const path of [temporary, join(root, 'home')]) mkdirSync(path);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: join(root, 'home'),
    PAWL_HOME: join(root, 'home', 'pawl'),
    TMPDIR: temporary,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'test-key',
    PAWL_MODEL: 'anthropic/claude-sonnet-4-5',
  };
  return (...args) => {
    const child = spawn(node, [program, ...args], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', said: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
      output.said += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.said += text;
    });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, ...output }));
    });
    return { child, ended };
  };
}

/** Stops all that is at work; what is wrong with how that goes, or null. */
async function stop({ way, tasks, isEarly }: ProgramPlan, run: Running, pawl: Program): Promise<string | null> {
  switch (way) {
    case 'ctrl_c':
      signalGroup(run, 'SIGINT');
      return null;
    case 'ctrl_c_twice':
      signalGroup(run, 'SIGINT');
      await after(30);
      signalGroup(run, 'SIGINT');
      return null;
    case 'sigint':
      run.child.kill('SIGINT');
      return null;
    case 'sigterm':
      run.child.kill('SIGTERM');
      return null;
    case 'sighup':
      signalGroup(run, 'SIGHUP');
      return null;
    case 'kill':
      run.child.kill('SIGKILL');
      return null;
    case 'max_duration':
      return null;
    case 'cancel':
      return untilDone(() => pawl('cancel', 'main'), run, isEarly);
    case 'send_interrupt': {
      const sent = await untilThere(() => pawl('send', 'main', '--interrupt', 'Are you there?'), isEarly);
      return sent.code === 0 && sent.stdout.includes('Yes.')
        ? null
        : `The input that interrupts is answered with ${sent.code}: ${sent.said}`;
    }
    case 'task_cancels': {
      // As they are asked for, until each of them is stopped.
      const names = Array.from({ length: tasks }, (_, place) => `main.builder-${place + 1}`);
      const problems = await Promise.all(names.map((name) => untilDone(() => pawl('cancel', name), run, true)));
      return problems.find((problem) => problem !== null) ?? null;
    }
    default:
      return way satisfies never;
  }
}

/** To all of the group, as a terminal does it. */
function signalGroup({ child }: Running, signal: NodeJS.Signals): void {
  // It may have ended already.
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
}

/** Again until it is accepted, or there is nothing to stop any more. */
async function untilDone(begin: () => Running, run: Running, isEarly: boolean): Promise<string | null> {
  for (;;) {
    const { code, said } = await begin().ended;
    if (code === 0 || run.child.exitCode !== null) return null;
    const isOver = /No turn is running|is being cancelled already|has ended/.test(said);
    // What is not there yet comes.
    if (!isOver && !(isEarly && /There is no session|are no sessions/.test(said))) return said;
    await after(100);
  }
}

async function untilThere(begin: () => Running, isEarly: boolean): Promise<Ended> {
  for (;;) {
    const ended = await begin().ended;
    if (!isEarly || !/There is no session|are no sessions/.test(ended.said)) return ended;
    await after(100);
  }
}

/** Whether the next input is answered, nothing of a task goes on, and nothing temporary is left. */
async function goesOn(plan: ProgramPlan, before: Ended, pawl: Program, { root }: Ground): Promise<string | null> {
  const isCut = before.signal !== null || plan.way === 'ctrl_c_twice';
  if (isCut) {
    // What it left open would be gone on with; it is closed here, where there is anything.
    const closed = await pawl('cancel', 'main').ended;
    if (faults.test(closed.said)) return `The cancel said: ${closed.said}`;
  }
  const isBegun = (await pawl('sessions', 'list', '--json').ended).stdout.includes('"main"');
  const flags = ['--permission-mode', 'auto', '--max-duration', '5m'];
  const next = await pawl('run', ...(isBegun ? ['-c'] : ['--session-id', 'main']), ...flags, 'Are you there?').ended;
  if (next.code !== 0 || !next.stdout.includes('Yes.') || faults.test(next.said)) {
    return `The next input ends with ${next.code ?? next.signal}: ${next.said}`;
  }
  const { stdout: tasks } = await pawl('tasks', 'list', 'main', '--json').ended;
  if (/"status": ?"(?:queued|running|idle|waiting_on_task)"/.test(tasks)) return `Tasks are left open: ${tasks}`;
  const left = readdirSync(join(root, 'temporary'));
  return left.length === 0 ? null : `Temporary files are left: ${left.join(', ')}`;
}
