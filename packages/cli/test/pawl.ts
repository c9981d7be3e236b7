/** Runs the real program, as a user's shell would. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';

/** The repository's own Node, whatever runs the tests. */
export const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
export const program = fileURLToPath(new URL('../bin/pawl.js', import.meta.url));

/** Compiled once for all tests. */
const compileCache = join(tmpdir(), 'pawl-test-compile-cache');

export type Place = { folder: string; home: string; env: Record<string, string> };

/** A folder to work in and a home of its own, gone when the test is. */
export function makePlace(files: Record<string, string> = {}): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-cli-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'work');
  const home = join(root, 'home');
  mkdirSync(folder);
  mkdirSync(home);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    PAWL_HOME: join(home, 'pawl'),
    NODE_COMPILE_CACHE: compileCache,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  };
  return { folder, home, env };
}

export type Result = { code: number | null; signal: string | null; stdout: string; stderr: string };
/** `input` is what is piped in; of `openInput` the end never comes. */
export type Options = { env?: Record<string, string>; input?: string; openInput?: true };

export type Running = {
  result: Promise<Result>;
  kill(signal: NodeJS.Signals): void;
  /** Onto standard input, which is open by `openInput`. */
  write(text: string): void;
  endInput(): void;
  /** Resolves when standard output or error has shown this. */
  shown(text: string | RegExp): Promise<void>;
};

export function start(place: Place, args: readonly string[], options: Options = {}): Running {
  const child = spawn(node, [program, ...args], {
    cwd: place.folder,
    env: { ...place.env, ...options.env },
    stdio: [options.input === undefined && options.openInput !== true ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of watchers) look();
    });
  }
  child.stdin?.on('error', () => undefined);
  if (options.openInput !== true) child.stdin?.end(options.input);
  const result = new Promise<Result>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return {
    result,
    kill: (signal) => child.kill(signal),
    write: (text) => void child.stdin?.write(text),
    endInput: () => void child.stdin?.end(),
    shown: (text) => untilShown(() => output.stdout + output.stderr, text, watchers, result),
  };
}

export function pawl(place: Place, args: readonly string[], options: Options = {}): Promise<Result> {
  return start(place, args, options).result;
}

function untilShown(
  read: () => string,
  text: string | RegExp,
  watchers: Set<() => void>,
  ended: Promise<unknown>,
): Promise<void> {
  const isThere = () => (typeof text === 'string' ? read().includes(text) : text.test(read()));
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!isThere()) return;
      watchers.delete(look);
      resolve();
    };
    watchers.add(look);
    look();
    ended.then(
      () => (isThere() ? resolve() : reject(new Error(`It ended without showing ${text}:\n${read()}`))),
      reject,
    );
  });
}

export type Terminal = {
  write(text: string): void;
  /** Resolves when this has been shown since the last call, whatever its colour. */
  shown(text: string | RegExp): Promise<void>;
  /** All that was shown, escape sequences and all. */
  output(): string;
  /** As a crash would. */
  kill(): void;
  resize(columns: number): void;
  ended: Promise<number>;
};

/** The same in a real terminal. */
export function startInTerminal(
  place: Place,
  args: readonly string[],
  env: Record<string, string> = {},
  columns = 100,
): Terminal {
  return openTerminal(place, node, [program, ...args], env, columns);
}

/** The same with a shell around it, that can stop a program and let it go on: its prompt is `$ `. */
export function startShellInTerminal(place: Place, env: Record<string, string> = {}): Terminal {
  return openTerminal(place, 'bash', ['--norc', '-i'], { ...env, PS1: '$ ' });
}

function openTerminal(
  place: Place,
  file: string,
  args: readonly string[],
  env: Record<string, string>,
  columns = 100,
): Terminal {
  const child = spawnInTerminal(file, [...args], {
    cwd: place.folder,
    env: { ...place.env, ...env },
    cols: columns,
    rows: 30,
  });
  let output = '';
  let from = 0;
  const watchers = new Set<() => void>();
  child.onData((text) => {
    output += text;
    for (const look of watchers) look();
  });
  const ended = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => resolve(exitCode));
  });
  return {
    write: (text) => child.write(text),
    async shown(text) {
      const read = () => stripVTControlCharacters(output).slice(from);
      await untilShown(read, text, watchers, ended);
      const seen = read();
      from += typeof text === 'string' ? seen.indexOf(text) + text.length : seen.search(text) + 1;
    },
    output: () => output,
    kill: () => child.kill('SIGKILL'),
    resize: (columns) => child.resize(columns, 30),
    ended,
  };
}

/** A model server on this machine, and the variables that lead to it. */
export function serverEnv(url: string): Record<string, string> {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test-key', PAWL_MODEL: 'anthropic/claude-sonnet-4-5' };
}

export const todoFiles = {
  'src/a.ts': 'export const a = 1; // TODO: rename\n',
  'src/b.ts': '// nothing to do here\nexport const b = 2;\n',
  'lib/c.py': '# TODO: port\n',
};
