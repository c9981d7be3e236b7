/** Whether a sandbox holds on this machine: found out by trying, not by looking for a program. */
import { access, constants, mkdir, mkdtemp, open, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { type BubblewrapTraits, bubblewrapArguments } from './bubblewrap.ts';
import type { Confinement } from './confinement.ts';
import { seatbeltArguments, seatbeltProgram } from './seatbelt.ts';
import { seccompFilter } from './seccomp.ts';
import { temporaryFolder, temporaryPrefix } from './temporaries.ts';

/** How commands are contained here. */
export type Mechanism = ({ kind: 'bubblewrap' } & BubblewrapTraits) | { kind: 'seatbelt' };

export type Probe =
  | { isAvailable: true; mechanism: Mechanism }
  /** `reason` says what is missing, `advice` what to do about it. Both are sentences. */
  | { isAvailable: false; reason: string; advice: string };

export function argumentsOf(mechanism: Mechanism, confinement: Confinement): string[] {
  switch (mechanism.kind) {
    case 'bubblewrap':
      return bubblewrapArguments(confinement, mechanism);
    case 'seatbelt':
      return seatbeltArguments(confinement);
    default:
      return mechanism satisfies never;
  }
}

const advices: readonly [RegExp, string][] = [
  [
    /setting up uid map: Permission denied|apparmor/i,
    'This system lets only programs with an AppArmor profile make user namespaces. Install the one for bubblewrap: sudo apt install apparmor-profiles && sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict',
  ],
  [
    /new namespace|unshare|clone|Operation not permitted/i,
    'User namespaces are switched off here. In a container, start it with --security-opt seccomp=unconfined or a profile that allows them; else: sudo sysctl -w user.max_user_namespaces=15000',
  ],
  [
    /mount proc|proc/i,
    'This container does not allow a /proc of its own. Start it with --security-opt systempaths=unconfined',
  ],
];

/** Tries what this system has. */
export async function probeSandbox(environment: NodeJS.ProcessEnv = process.env): Promise<Probe> {
  if (process.platform === 'darwin') return tried([{ kind: 'seatbelt' }], seatbeltProgram);
  if (process.platform !== 'linux') {
    return {
      isAvailable: false,
      reason: `There is no sandbox for ${process.platform}.`,
      advice: 'Run Pawl in a container, or in WSL 2 on Windows.',
    };
  }
  const program = await findProgram('bwrap', environment.PATH ?? '');
  if (program === null) {
    return {
      isAvailable: false,
      reason: 'bubblewrap is not installed.',
      advice: 'Install it: sudo apt install bubblewrap (or dnf, pacman, apk; the package has the same name).',
    };
  }
  const kind = 'bubblewrap' as const;
  const filter = await filterFile();
  const filters = filter === null ? [null] : [filter, null];
  return tried(
    [true, false].flatMap((canSealNamespaces) =>
      filters.map((each) => ({ kind, program, canSealNamespaces, filter: each })),
    ),
    program,
  );
}

/** The filter of system calls as a file, which lasts as long as this process; null where there is none for this machine. */
async function filterFile(): Promise<string | null> {
  const filter = seccompFilter(process.arch);
  if (filter === null) return null;
  const path = join(await temporaryFolder('processes'), 'filter');
  await writeFile(path, filter, { mode: 0o400 });
  return path;
}

/** Only from absolute folders: a project's own `bwrap` contains nothing. */
async function findProgram(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter((each) => isAbsolute(each))) {
    const program = join(folder, name);
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return null;
}

async function tried(mechanisms: readonly Mechanism[], program: string): Promise<Probe> {
  let said = '';
  for (const mechanism of mechanisms) {
    const problem = await problemOf(mechanism);
    if (problem === null) return { isAvailable: true, mechanism };
    said ||= problem;
  }
  const [, advice] = advices.find(([pattern]) => pattern.test(said)) ?? [];
  return {
    isAvailable: false,
    reason: `${program} does not hold here: ${said}.`,
    advice: advice ?? 'Run the command by hand to see what stops it: bwrap --unshare-user --ro-bind / / true',
  };
}

/** Says what a contained command can do that it should not, or cannot and should. */
const trial = `
cd "$1" 2>/dev/null || echo "the folder is not there"
(echo x > written) 2>/dev/null || echo "the folder cannot be written"
(echo x > guarded/x) 2>/dev/null && echo "what is guarded can be written"
(mv holder/ moved) 2>/dev/null && echo "what holds a guarded place can be moved"
(echo x > "$2/x") 2>/dev/null
test -w "$3" && echo "the home can be written"
test -s key && echo "what is hidden can be read"
if test -r /proc/self/status; then
  grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || echo "capabilities are left"
  test -w /proc/sys/kernel/core_pattern && echo "settings of the kernel can be written"
  test "$(wc -l < /proc/net/dev)" -le 3 || echo "the network can be reached"
fi
echo end
`;

/** What is wrong with it, or null. Leaves nothing behind. */
async function problemOf(mechanism: Mechanism): Promise<string | null> {
  const place = await realpath(await mkdtemp(temporaryPrefix('probe')));
  const [folder, outside, temporary] = ['folder', 'outside', 'temporary'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  try {
    for (const path of [join(folder, 'guarded'), join(folder, 'holder', 'kept'), outside, temporary]) {
      await mkdir(path, { recursive: true });
    }
    const key = join(folder, 'key');
    await writeFile(key, 'key');
    const confinement: Confinement = {
      folder,
      isFolderWritable: true,
      hasNetwork: false,
      temporary,
      hidden: [{ path: key, isFolder: false, identity: '' }],
      anchored: [join(folder, 'holder')],
      guarded: [join(folder, 'guarded'), join(folder, 'holder', 'kept')].map((path) => ({
        path,
        isFolder: true,
        identity: '',
      })),
    };
    const words = [
      ...argumentsOf(mechanism, confinement),
      '/bin/bash',
      '-c',
      trial,
      'bash',
      folder,
      outside,
      homedir(),
    ];
    const { failure, lines } = await runTrial(words, mechanism.kind === 'bubblewrap' ? mechanism.filter : null);
    const [problem] = lines.filter((line) => line !== 'end');
    if (!lines.includes('end')) return failure;
    // Inside, another folder lies in the place of the temporary one; what counts is what came of it here.
    const [leaked] = await readdir(outside);
    return problem ?? (leaked === undefined ? null : 'other folders can be written');
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

const trialLimitMs = 5000;

async function runTrial(
  [program = '', ...words]: readonly string[],
  filter: string | null,
): Promise<{ failure: string; lines: string[] }> {
  const { spawn } = await import('node:child_process');
  const opened = filter === null ? null : await open(filter, 'r');
  const ran = new Promise<{ failure: string; lines: string[] }>((resolve) => {
    const child = spawn(program, words, {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...(opened === null ? [] : [opened.fd])],
      timeout: trialLimitMs,
      killSignal: 'SIGKILL',
    });
    const said = { out: '', err: '' };
    child.stdout?.on('data', (piece: Buffer) => {
      said.out += piece.toString();
    });
    child.stderr?.on('data', (piece: Buffer) => {
      said.err += piece.toString();
    });
    child.on('error', (error) => resolve({ failure: error.message, lines: [] }));
    child.on('close', (code, signal) => {
      const failure = said.err.trim().split('\n')[0] || `it ended with ${signal ?? `exit code ${code}`}`;
      resolve({ failure: failure.replace(/\.$/, ''), lines: said.out.split('\n').filter((line) => line !== '') });
    });
  });
  return ran.finally(() => opened?.close());
}
