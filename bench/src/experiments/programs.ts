/** (h) The programs themselves, each as its user runs it, with one model server for all their wires. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type WireRequest, wireServer } from '../../../packages/models/src/testing/index.ts';
import type { Bench, Finding } from '../bench.ts';
import { commandOf, isInstalled, type Place, type Program, programs } from '../programs.ts';
import { median, ratio } from '../statistics.ts';
import { inTemporaryFolder, runNode } from '../task.ts';

const repository = join(import.meta.dirname, '../../..');
/** Steps of a run whose cost a step is measured. */
const steps = 20;
/** Steps that are done when a run is killed. */
const stepsBefore = 5;
const limitMs = 300_000;
const timeProgram = '/usr/bin/time';

type Kind = 'read' | 'shell';
type Run = { cpuMs: number; wallMs: number; peakRssMb: number; firstRequestMs: number; firstRequestBytes: number };
type Killed = { stepsKnown: number; stepsDone: number };
type Figures = { program: string; start: Run[]; read: Run[]; shell: Run[]; killed: Killed[] };

/** Steps whose results are in a request; one that is there twice counts once. */
const stepsIn = ({ messages }: WireRequest): number => {
  const contents = messages.flatMap(({ results }) => results.map(({ content }) => content));
  return new Set(contents.map((content) => /(?:step|Line of file) (\d+)/.exec(content)?.[1])).size;
};

/** Runs one program with a server and a folder of its own. */
async function inWorld<Result>(
  program: Program,
  home: string,
  script: { kind: Kind; steps: number; onRequest(request: WireRequest): void | Promise<void> },
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  return inTemporaryFolder(async (folder) => {
    for (let n = 1; n <= script.steps; n++) await writeFile(join(folder, `file${n}.txt`), `Line of file ${n}.\n`);
    const server = await wireServer(async (request) => {
      // Titles and the like are asked for without tools.
      if (request.tools.length === 0) return { text: 'A title' };
      await script.onRequest(request);
      const done = stepsIn(request);
      return done >= script.steps ? { text: 'Done.' } : { calls: [program[script.kind](done + 1, place)] };
    });
    const place: Place = { server: server.url.replace(/\/$/, ''), home, folder };
    try {
      await program.prepare?.(place);
      return await work(place);
    } finally {
      await server.close();
    }
  });
}

const started = (program: Program, parts: readonly string[], place: Place, before: readonly string[] = []) => {
  const [file = '', ...rest] = [...before, ...commandOf(program), ...parts];
  return spawn(file, rest, {
    cwd: place.folder,
    stdio: 'ignore',
    detached: true,
    timeout: limitMs,
    // Some programs believe PWD more than the folder that they are in.
    env: { ...process.env, PWD: place.folder, ...program.environment(place), NO_PROXY: '127.0.0.1' },
  });
};

async function measured(program: Program, home: string, kind: Kind, count: number): Promise<Run> {
  const first = { at: 0, bytes: 0 };
  const onRequest = ({ raw }: WireRequest) => {
    if (first.at > 0) return;
    first.at = performance.now();
    first.bytes = Buffer.byteLength(raw);
  };
  return inWorld(program, home, { kind, steps: count, onRequest }, async (place) => {
    const report = join(home, 'time.txt');
    const beganAt = performance.now();
    const child = started(program, program.run('Do the steps.', place), place, [
      timeProgram,
      '-f',
      '%U %S %M',
      '-o',
      report,
    ]);
    const [code] = await once(child, 'close');
    const wallMs = performance.now() - beganAt;
    const said = await readFile(report, 'utf8');
    const [user = 0, system = 0, peak = 0] = (said.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
    if (code !== 0 || first.at === 0) throw new Error(`${program.name} ended with ${code}: ${said}`);
    return {
      cpuMs: (user + system) * 1000,
      wallMs,
      peakRssMb: peak / 1024,
      firstRequestMs: first.at - beganAt,
      firstRequestBytes: first.bytes,
    };
  });
}

/** Kills a run in mid-call of its model, goes on with the session, and sees what it still knows. */
async function killed(program: Program, home: string, resume: NonNullable<Program['resume']>): Promise<Killed> {
  const isThere = Promise.withResolvers<void>();
  let isKilled = false;
  let stepsKnown = -1;
  const onRequest = async (request: WireRequest) => {
    if (isKilled && stepsKnown < 0) stepsKnown = stepsIn(request);
    if (isKilled || stepsIn(request) < stepsBefore) return;
    isThere.resolve();
    // It is killed before this answer comes.
    await new Promise(() => undefined);
  };
  return inWorld(program, home, { kind: 'shell', steps, onRequest }, async (place) => {
    const child = started(program, program.run('Do the steps.', place), place);
    const ended = once(child, 'close');
    await Promise.race([isThere.promise, ended]);
    isKilled = true;
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
    await once(started(program, resume('Go on.'), place), 'close');
    const lines = await readFile(join(place.folder, 'steps.txt'), 'utf8').catch(() => '');
    return { stepsKnown, stepsDone: lines.split('\n').length - 1 };
  });
}

export const sideBySide = async (bench: Bench): Promise<Finding> => {
  const { progress } = bench;
  const { rounds } = bench.options;
  await runNode([join(repository, 'scripts/build.ts')], { cwd: repository });
  // Codex does not work with a home in the folder for temporary files.
  const homes = join(repository, 'bench/results/homes');
  const all: Figures[] = [];
  for (const program of programs) {
    if (!isInstalled(program))
      progress(`h: ${program.name} is not installed: (cd bench/programs && npm ci --ignore-scripts)`);
    else all.push({ program: program.name, start: [], read: [], shell: [], killed: [] });
  }
  const homeOf = async (name: string) => {
    const home = join(homes, name.replace(/\W/g, '-'));
    await mkdir(home, { recursive: true });
    return home;
  };
  try {
    // Round 0 fills caches and is not counted.
    for (let round = 0; round <= rounds; round++) {
      for (const figures of [...all]) {
        const program = programs.find(({ name }) => name === figures.program);
        if (program === undefined) continue;
        const home = await homeOf(program.name);
        try {
          const start = await measured(program, home, 'read', 0);
          if (round === 0) continue;
          figures.start.push(start);
          figures.read.push(await measured(program, home, 'read', steps));
          figures.shell.push(await measured(program, home, 'shell', steps));
          if (program.resume !== null) figures.killed.push(await killed(program, home, program.resume));
        } catch (error) {
          progress(`h: ${program.name} does not run here: ${error}`);
          all.splice(all.indexOf(figures), 1);
          continue;
        }
        progress(`h, round ${round} of ${rounds}: ${program.name}: ${summary(figures)}`);
      }
    }
  } finally {
    await rm(homes, { recursive: true, force: true });
  }
  return { table: tableOf(all), measurements: all };
};

const cpuAStep = (runs: readonly Run[], start: readonly Run[]) =>
  runs.map(({ cpuMs }, round) => (cpuMs - (start[round]?.cpuMs ?? 0)) / steps);
const wallAStep = (runs: readonly Run[], start: readonly Run[]) =>
  runs.map(({ wallMs }, round) => (wallMs - (start[round]?.wallMs ?? 0)) / steps);

const summary = ({ start, read, shell, killed: ends }: Figures) => {
  const ms = (values: readonly number[]) => values.at(-1)?.toFixed(0);
  const end = ends.at(-1);
  const afterKill =
    end === undefined
      ? ''
      : `; after a kill it knew ${end.stepsKnown} of ${stepsBefore} steps, and ${end.stepsDone} of ${steps} were done`;
  return `first request ${ms(start.map((run) => run.firstRequestMs))} ms, CPU a read step ${ms(cpuAStep(read, start))} ms, a shell step ${ms(cpuAStep(shell, start))} ms${afterKill}`;
};

const tableOf = (all: readonly Figures[]): Finding['table'] => {
  const own = all.find(({ program }) => program === 'pawl');
  const against = (value: (figures: Figures) => number[]) => (figures: Figures) =>
    own === undefined ? null : ratio(value(figures), value(own));
  const columns = [
    { name: 'start to first request', of: (one: Figures) => one.start.map((run) => run.firstRequestMs) },
    { name: 'its bytes', of: (one: Figures) => one.start.map((run) => run.firstRequestBytes) },
    { name: 'CPU of a run without steps', of: (one: Figures) => one.start.map((run) => run.cpuMs) },
    { name: 'CPU a read step', of: (one: Figures) => cpuAStep(one.read, one.start) },
    { name: 'wall a read step', of: (one: Figures) => wallAStep(one.read, one.start) },
    { name: 'CPU a shell step', of: (one: Figures) => cpuAStep(one.shell, one.start) },
    { name: 'wall a shell step', of: (one: Figures) => wallAStep(one.shell, one.start) },
    { name: 'peak memory', of: (one: Figures) => one.shell.map((run) => run.peakRssMb) },
  ];
  return {
    title: '(h) The programs side by side, each ÷ pawl',
    columns: [
      ...columns.map(({ name }) => ({ name, unit: 'ratio' as const })),
      { name: `steps known after a kill ÷ ${stepsBefore}`, unit: 'ratio' as const },
      { name: `steps done in all ÷ ${steps}`, unit: 'ratio' as const },
    ],
    rows: all.map((one) => ({
      name: one.program,
      cells: [
        ...columns.map(({ of }) => against(of)(one)),
        median(one.killed.map(({ stepsKnown }) => stepsKnown / stepsBefore)),
        median(one.killed.map(({ stepsDone }) => stepsDone / steps)),
      ],
    })),
  };
};
