/**
 * Many contained commands in one repository at once, by several Pawls, some of which are killed, beside a person who uses
 * git there and makes and removes guarded places: none may fail, and the folder is afterwards what it was.
 * `npm run soak -- shells` does it ten thousand times over.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export type SoakCounts = { commands: number; shells: number; pawls: number; kills: number };

export type SoakReport = SoakCounts & {
  durationMs: number;
  /** What commands said instead of what they should; one line each. */
  failures: string[];
  /** Paths that are different from before, or new, or gone. */
  changed: string[];
  /** What is left of ours in the temporary folder. */
  left: string[];
  /** How often a person's git ran, and failed. */
  git: { runs: number; failures: string[] };
};

export async function soakParallelShells({ commands, shells, pawls, kills }: SoakCounts): Promise<SoakReport> {
  const begun = performance.now();
  const place = realpathSync(mkdtempSync(join(homedir(), 'pawl-soak-')));
  const folder = join(place, 'repository');
  const temporary = join(place, 'temporary');
  for (const path of [folder, temporary]) mkdirSync(path);
  makeRepository(folder);
  const before = listing(folder);
  mkdirSync(join(folder, 'out'));
  const failures: string[] = [];
  const git = { runs: 0, failures: [] as string[] };
  let done = 0;
  let killed = 0;
  let started = 0;
  let isOver = false;

  /** Resolves when this Pawl, and all that came in its place after a kill, has ended. */
  const pawl = async (): Promise<void> => {
    while (!isOver) {
      const child = startPawl(folder, temporary, `p${started++}`, Math.ceil(shells / pawls));
      let own = 0;
      const mortal = killed < kills;
      if (mortal) killed += 1;
      const limit = Math.max(1, Math.round(commands / (kills + pawls)));
      child.on('message', ({ failure }: { failure?: string }) => {
        done += 1;
        own += 1;
        if (failure !== undefined) failures.push(failure);
        if (done >= commands) isOver = true;
        if (isOver) say(child);
        else if (mortal && own === limit) child.kill('SIGKILL');
      });
      await new Promise((resolve) => child.once('exit', resolve));
    }
  };
  const person = async () => {
    for (let turn = 0; !isOver; turn++) {
      flap(folder, turn);
      git.runs += 1;
      try {
        execFileSync('git', turn % 2 === 0 ? ['add', '-A', 'src'] : ['status', '--porcelain'], {
          cwd: folder,
          stdio: 'pipe',
        });
      } catch (error) {
        git.failures.push(String(error));
      }
      await wait(25);
    }
  };
  await Promise.all([...Array.from({ length: pawls }, pawl), person()]);
  // The next start cleans up after those that were killed.
  isOver = false;
  const last = startPawl(folder, temporary, 'last', 1);
  last.once('message', () => say(last));
  await new Promise((resolve) => last.once('exit', resolve));
  rmSync(join(folder, 'out'), { recursive: true });
  execFileSync('git', ['status'], { cwd: folder, stdio: 'pipe' });
  const changed = differences(before, listing(folder));
  const left = readdirSync(temporary).filter((name) => name.startsWith('pawl-'));
  rmSync(place, { recursive: true, force: true });
  const durationMs = Math.round(performance.now() - begun);
  return { commands: done, shells, pawls, kills: killed, durationMs, failures, changed, left, git };
}

const startPawl = (folder: string, temporary: string, name: string, shells: number): ChildProcess =>
  fork(join(import.meta.dirname, 'parallel-shells-worker.ts'), [folder, name, `${shells}`], {
    env: { ...process.env, TMPDIR: temporary },
  });

/** That it is to end after its running commands. */
function say(child: ChildProcess): void {
  // It may have ended already.
  if (child.connected) child.send('end', () => undefined);
}

/** Without what most have: hooks, so that they are among what does not exist. */
function makeRepository(folder: string): void {
  const run = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'pipe' });
  run('init', '-q', '--template=');
  mkdirSync(join(folder, 'src'));
  for (let number = 0; number < 20; number++) writeFileSync(join(folder, 'src', `${number}.txt`), `${number}\n`);
  writeFileSync(join(folder, '.gitignore'), 'out\n');
  run('add', '-A');
  run('-c', 'user.name=n', '-c', 'user.email=e@e', 'commit', '-qm', 'one');
}

/** A person makes guarded places and removes them: harmless ones, as nobody says who made the others. */
function flap(folder: string, turn: number): void {
  const folders = ['.vscode', '.husky', '.git/hooks', '.pawl'];
  for (const name of folders) {
    if (turn % 2 === 0) mkdirSync(join(folder, name), { recursive: true });
    else rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Paths with a digest of what is there, but for git's index, whose times git refreshes. */
function listing(folder: string): Map<string, string> {
  const flapping = new Set(['.vscode', '.husky', '.git/hooks', '.pawl']);
  for (const name of flapping) rmSync(join(folder, name), { recursive: true, force: true });
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path): [string, string] => {
    const full = join(folder, path);
    if (statSync(full).isDirectory()) return [path, 'folder'];
    return [path, path === '.git/index' ? 'index' : createHash('sha256').update(readFileSync(full)).digest('hex')];
  });
  return new Map([
    ...entries,
    ['git status', execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' })],
  ]);
}

const differences = (before: Map<string, string>, after: Map<string, string>) =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
