/** The machine: Node, the data, the tools, the way to the network. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BlobStore, Tool, ToolContext } from '@pawl/engine';
import { messageOf } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import {
  builtinTools,
  homeListDate,
  type NetworkAccess,
  ownHomes,
  type Probe,
  probeSandbox,
  shownOfHome,
} from '@pawl/tools';
import type { Config } from '../config/config.ts';
import { databasePath } from '../home.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

export function checkNode(): Finding {
  return ok('node', process.versions.node);
}

/** Below this, SQLite soon cannot write any more. */
const minFreeBytes = 200_000_000;

/** The data folder, the room on its disk, and the log itself. */
export async function checkData(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  let path: string;
  try {
    path = databasePath(environment);
  } catch (error) {
    return [failed('data', messageOf(error))];
  }
  return [await checkRoom(dirname(path)), await checkLog(path)];
}

async function checkRoom(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const detail = `${folder}, ${(free / 1e9).toFixed(1)} GB free`;
  return free < minFreeBytes
    ? warning('data', detail, 'Make room on this disk before sessions fail to be kept.')
    : ok('data', detail);
}

async function checkLog(path: string): Promise<Finding> {
  try {
    const log = sqliteLog({ path });
    try {
      const sessions = await log.list({ limit: Number.MAX_SAFE_INTEGER });
      const damage = log.damage();
      const detail = `${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'} in ${path}`;
      if (damage.length === 0) return ok('log', detail);
      return warning(
        'log',
        `${detail}; damaged: ${damage.map(({ reason }) => reason).join('; ')}`,
        'What could be read is kept.',
      );
    } finally {
      await log.close();
    }
  } catch (error) {
    return failed('log', messageOf(error), `See who else uses ${path}, or set PAWL_HOME to another folder.`);
  }
}

/** Runs the tools that need another program, as a session would. */
export function checkTools(folder: string): Promise<Finding[]> {
  // That there is no sandbox is a finding of its own.
  const tools = builtinTools({ notice: () => undefined });
  return Promise.all([
    tryTool(tools, 'bash', { command: 'true' }, folder, 'Install bash as /bin/bash.'),
    tryTool(tools, 'glob', { pattern: 'package.json' }, folder, 'Install Pawl again, with its optional packages.'),
  ]);
}

async function tryTool(
  tools: readonly Tool[],
  name: string,
  input: Record<string, string>,
  cwd: string,
  advice: string,
) {
  const about = name === 'glob' ? 'ripgrep' : name;
  const tool = tools.find((one) => one.name === name);
  try {
    const outcome = await tool?.run(input, toolContext(cwd));
    return outcome === undefined || outcome.isError === true
      ? failed(about, outcome?.content ?? 'the tool is missing', advice)
      : ok(about, 'runs');
  } catch (error) {
    return failed(about, messageOf(error), advice);
  }
}

const noBlobs: BlobStore = { put: () => Promise.resolve('sha256-'), get: () => Promise.resolve(null) };

export function toolContext(cwd: string): ToolContext {
  return {
    session: 'doctor',
    cwd,
    call: 'doctor',
    signal: AbortSignal.timeout(10_000),
    blobs: noBlobs,
    lastSeen: () => null,
    progress: () => undefined,
    paths: [],
    basis: null,
  };
}

/** Whether commands are contained here, as these settings want it. */
export async function checkSandbox(config: Config | null): Promise<Finding[]> {
  const { sandbox, sandboxNetwork = 'off', sandboxHome = [] } = config ?? {};
  if (sandbox === 'off') return [warning('sandbox', 'off, as the settings say', 'Commands may do all that you may.')];
  const probe = await probeSandbox();
  if (!probe.isAvailable) return [warning('sandbox', probe.reason, probe.advice)];
  const { mechanism } = probe;
  const name = mechanism.kind === 'bubblewrap' ? `bubblewrap (${mechanism.program})` : 'Seatbelt';
  const { checkNetwork } = await import('./network.ts');
  return [
    ok('sandbox', `${name} holds: ${sandbox ?? 'workspace-write'}, ${networkText(sandboxNetwork)}`),
    ...checkFilter(probe),
    ...checkHomes(sandboxHome),
    ...(await checkNetwork(sandboxNetwork)),
  ];
}

function checkFilter({ mechanism }: Extract<Probe, { isAvailable: true }>): Finding[] {
  if (mechanism.kind !== 'bubblewrap' || mechanism.filter !== null) return [];
  return [
    warning('system calls', 'not filtered in the sandbox', 'This kernel or machine takes no seccomp filter of ours.'),
  ];
}

/** What commands see of the home, as the list and the settings have it here. */
function checkHomes(shown: readonly string[]): Finding[] {
  const homes = shownOfHome({ shown, environment: process.env, homes: ownHomes() });
  return homes.map(({ home, places }) =>
    ok(
      'home',
      `commands see of ${home}: ${places.length === 0 ? 'nothing' : places.join(', ')} (list of ${homeListDate}; more: sandboxHome)`,
    ),
  );
}

function networkText(network: NetworkAccess): string {
  if (network === 'off') return 'no network';
  return network === 'on' ? 'with the network' : 'a list of hosts';
}
