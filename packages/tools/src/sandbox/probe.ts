/** Whether a sandbox holds on this machine: found out by trying, not by looking for a program. */
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type BubblewrapTraits, bubblewrapArguments } from './bubblewrap.ts';
import type { Confinement } from './confinement.ts';
import type { Landlock } from './landlock.ts';
import { probeReaders } from './probe-readers.ts';
import { seatbeltArguments, seatbeltProgram } from './seatbelt.ts';
import { temporaryPrefix } from './temporaries.ts';
import { filterFile, findProgram, runTrial } from './trial.ts';

/** How commands are contained here. */
export type Mechanism = ({ kind: 'bubblewrap' } & BubblewrapTraits) | { kind: 'seatbelt' };

export type Probe =
  | { isAvailable: true; mechanism: Mechanism }
  /**
   * `reason` says what is missing, `advice` what to do about it. Both are sentences. `readers` contains at least
   * commands that only read; null where nothing does.
   */
  | { isAvailable: false; reason: string; advice: string; readers: Landlock | null };

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
  const found = await probeWhole(environment);
  return found.isAvailable ? found : { ...found, readers: await probeReaders(environment) };
}

type Whole = Extract<Probe, { isAvailable: true }> | Omit<Extract<Probe, { isAvailable: false }>, 'readers'>;

async function probeWhole(environment: NodeJS.ProcessEnv): Promise<Whole> {
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

async function tried(mechanisms: readonly Mechanism[], program: string): Promise<Whole> {
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
