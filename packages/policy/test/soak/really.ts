/**
 * Runs command lines that were judged harmless, for real: in a folder of their own, where a sandbox holds what was judged
 * wrongly, under strace, which tells what they did.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeByRules, namedPaths, prepareCommand, reachesOutside, readsOnly } from '../../src/index.ts';
import { analyse } from '../../src/shell/analyse.ts';
import { generatedLines } from './generated.ts';

const sandbox = 'bwrap';

/** Which programs are found first: those of the system, or those that busybox or toybox are, as far as they are there. */
const families = ['system', 'busybox', 'toybox', 'mawk', 'original-awk'] as const;

export type Really = {
  generated: number;
  /** Lines that need no question. */
  harmless: number;
  /** What some of them did that no harmless line does. */
  violations: string[];
  /** Whose spellings were not tried, because the program is not there. */
  missing: string[];
};

/** What is missing for it, in words; null if nothing is. */
export function missingForReally(): string | null {
  const missing = ['strace', sandbox, 'bash'].filter((name) => placeOf(name) === null);
  return missing.length === 0 ? null : `${missing.join(' and ')} not found: no generated command line is run for real`;
}

function placeOf(name: string): string | null {
  const found = ['/usr/bin', '/bin', '/usr/local/bin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  return found ?? null;
}

/** A folder with what lines are about, and names that are meant to be taken for options. */
function playground(): { root: string; work: string; paths: Map<string, string> } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-really-')));
  const work = join(root, 'work');
  for (const folder of ['src', 'sub dir', 'links', '.git']) mkdirSync(join(work, folder), { recursive: true });
  mkdirSync(join(root, 'outside'));
  writeFileSync(join(root, 'outside/secret'), 'secret\n');
  writeFileSync(join(work, '.env'), 'SECRET=1\n');
  for (const name of ['a.txt', 'b.ts', 'src/d.ts', 'sub dir/e', '-ox.txt', '-f', '--output=x.txt', '-i.txt', 'l'])
    writeFileSync(join(work, name), 'a b/c\nx 2\ny=1\n');
  writeFileSync(join(work, 'c.json'), '{"a": 1}\n');
  writeFileSync(join(work, 'evil'), '#!/bin/sh\necho ran > evil-ran\n');
  chmodSync(join(work, 'evil'), 0o755);
  symlinkSync('../../outside/secret', join(work, 'links/s'));
  const paths = new Map<string, string>([['system', '/usr/bin:/bin']]);
  for (const family of families.slice(1)) {
    const place = placeOf(family);
    if (place === null) continue;
    const folder = join(root, `${family}-bin`);
    mkdirSync(folder);
    for (const name of appletsOf(family, place)) symlinkSync(place, join(folder, name));
    paths.set(family, `${folder}:/usr/bin:/bin`);
  }
  return { root, work, paths };
}

function appletsOf(family: string, place: string): string[] {
  if (/awk$/.test(family)) return ['awk', 'nawk'];
  const listed = execFileSync(place, family === 'busybox' ? ['--list'] : [], { encoding: 'utf8' });
  // These run the lines themselves.
  return listed.split(/\s+/).filter((name) => /^[a-z0-9]+$/.test(name) && !/^(?:bash|sh|ash|timeout)$/.test(name));
}

/** Whether a line needs no question where nothing contains it, and what it names is where the folder is. */
function isHarmless(line: string, work: string): boolean {
  if (!readsOnly(line) || reachesOutside(line, work)) return false;
  const base = { cwd: work, home: join(work, '../home') };
  const canonicalPaths = new Map(namedPaths(line, base).map((path) => [path, realOf(path)]));
  const rules = { deny: ['read(.env)', 'edit(src/**)', 'bash(rm *)'], ask: [], allow: [] };
  const subjects = [{ kind: 'command' as const, value: line }];
  const question = { ...base, layers: [{ name: 'user', rules }], tool: 'bash', subjects, canonicalPaths };
  return judgeByRules({ ...question, mode: 'manual', effect: 'read', toolAsks: false }).verdict === 'allow';
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

const linesOfOneRun = 150;

/** @throws where a program for it is missing: ask `missingForReally` first. */
export async function runReally({ lines, seed }: { lines: number; seed: number }): Promise<Really> {
  await prepareCommand('more than; plain words');
  const { root, work, paths } = playground();
  try {
    const generated = [...new Set(generatedLines(lines, seed))].filter((line) => !line.includes('\0'));
    const harmless = generated.filter((line) => isHarmless(line, work));
    const known = [...paths.keys()];
    // Side by side, as many as there are families: what one line changes shows in its own trace.
    const violations = await Promise.all(
      known.map(async (family, at) => {
        const own = harmless.filter((_, index) => index % known.length === at);
        const found: string[] = [];
        for (let from = 0; from < own.length; from += linesOfOneRun) {
          const some = own.slice(from, from + linesOfOneRun);
          const trace = await traceOf(some, { root, name: family, path: paths.get(family) as string });
          found.push(...violationsIn(trace, some, { root, work }).map((each) => `${family}: ${each}`));
        }
        return found;
      }),
    );
    const missing = families.filter((family) => !paths.has(family));
    return { generated: generated.length, harmless: harmless.length, violations: violations.flat(), missing };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const calls = `execve,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,utimensat,utime,utimes,mknod,mknodat,setxattr,socket`;

/** Whoever runs the lines says before each which one it is. */
const script = `
  at=0
  while IFS= read -r -d '' text <&8; do
    /usr/bin/timeout -s KILL 5 /bin/bash -c "$text" "pawl-line-$at" < /dev/null > /dev/null 2>&1
    at=$((at + 1))
  done 8< "$LINES_FILE"`;

type Traced = { root: string; name: string; path: string };

async function traceOf(lines: readonly string[], { root, name, path }: Traced): Promise<string> {
  const file = join(root, `${name}-lines`);
  const log = join(root, `${name}-trace`);
  writeFileSync(file, lines.map((line) => `${line}\0`).join(''));
  const inside = [
    '--ro-bind',
    '/',
    '/',
    '--bind',
    root,
    root,
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--unshare-net',
    '--unshare-pid',
  ];
  const tracing = [
    'strace',
    '-f',
    '-qq',
    '-y',
    '--seccomp-bpf',
    '-s',
    '64',
    '-e',
    `trace=${calls}`,
    '-e',
    'signal=none',
    '-o',
    log,
  ];
  const words = [
    ...inside,
    '--die-with-parent',
    '--chdir',
    join(root, 'work'),
    ...tracing,
    '/bin/bash',
    '--norc',
    '-c',
    script,
  ];
  const env = { PATH: path, HOME: join(root, 'home'), LINES_FILE: file, LC_ALL: 'C' };
  const child = spawn(sandbox, words, {
    env: { ...env, PATH: `${path}:/usr/bin:/bin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (bytes) => {
    errors += String(bytes);
  });
  await new Promise((resolve) => child.on('close', resolve));
  if (!existsSync(log)) throw new Error(`Nothing could be traced: ${errors}`);
  return readFileSync(log, 'utf8');
}

/** Programs that are scripts, or start others of their own family. */
const helpers: { readonly [name: string]: readonly string[] } = {
  // That is what it runs where it is told nothing.
  xargs: ['echo'],
  egrep: ['grep', 'sh', 'dash'],
  fgrep: ['grep', 'sh', 'dash'],
  which: ['sh', 'dash', 'which.debianutils'],
};

function violationsIn(
  trace: string,
  lines: readonly string[],
  { root, work }: { root: string; work: string },
): string[] {
  const found = new Set<string>();
  let line: string | null = null;
  let allowed = new Set<string>();
  for (const record of whole(trace.split('\n'))) {
    const [, call = '', rest = ''] = /^\d+ +([a-z0-9]+)\((.*)$/s.exec(record) ?? [];
    const mark = call === 'execve' ? /"pawl-line-(\d+)"/.exec(rest) : null;
    if (mark !== null) {
      line = lines[Number(mark[1])] ?? null;
      allowed = programsOf(line ?? '');
      continue;
    }
    if (line === null || call === '' || (/ = -1 /.test(rest) && call !== 'socket')) continue;
    const problem = problemOf(call, rest, { allowed, root, work });
    if (problem !== null) found.add(`${line}\n    ${problem}`);
  }
  return [...found];
}

/** Calls that another process came in between of, put together again. */
function whole(records: readonly string[]): string[] {
  const begun = new Map<string, string>();
  return records.flatMap((record) => {
    const [, pid = '', resumed] = /^(\d+) +(?:<\.\.\. [a-z0-9]+ resumed>(.*))?/.exec(record) ?? [];
    if (record.endsWith('<unfinished ...>')) {
      begun.set(pid, record.slice(0, -'<unfinished ...>'.length));
      return [];
    }
    return [resumed === undefined ? record : `${begun.get(pid) ?? ''}${resumed}`];
  });
}

function programsOf(line: string): Set<string> {
  const names = analyse(line).flatMap((part) => {
    const name = part.kind === 'command' ? (part.words[0]?.text ?? '') : '';
    return [name, ...(Object.hasOwn(helpers, name) ? (helpers[name] ?? []) : [])];
  });
  return new Set([...names, 'bash', 'timeout']);
}

function problemOf(
  call: string,
  rest: string,
  { allowed, root, work }: { allowed: ReadonlySet<string>; root: string; work: string },
): string | null {
  if (call === 'execve') {
    const [, path = '', first = ''] = /^"([^"]*)", \["([^"]*)"/.exec(rest) ?? [];
    const name = (path === '/proc/self/exe' ? first : path).split('/').at(-1) ?? '';
    return allowed.has(name) ? null : `ran ${path}`;
  }
  if (call === 'socket') return /AF_INET/.test(rest) ? `opened a connection: ${rest}` : null;
  if (/^open|^creat/.test(call)) {
    const [, path = ''] = /= \d+<(.*)>(?: \(deleted\))?$/.exec(rest) ?? [];
    if (/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(rest) || call === 'creat') {
      return /^(?:\/dev\/|pipe:|\/proc\/)/.test(path) ? null : `wrote ${path}`;
    }
    if (path.startsWith(join(root, 'outside'))) return `read ${path}`;
    return path === join(work, '.env') ? `read ${path}` : null;
  }
  return `changed something: ${call}(${rest}`;
}
