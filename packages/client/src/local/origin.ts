/**
 * Who acts through a process of this user: the person, or an agent. Commands that an agent runs are processes of the same
 * user, so that the user's name proves nothing.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Identity } from '@pawl/protocol';

/** Set for every command that a tool runs: the session and the call. */
export const callVariable = 'PAWL_CALL';

const person: Identity = { kind: 'human', id: 'local' };
const agent = (call: string): Identity => ({ kind: 'agent', id: call === '' ? 'tool' : call });

/** The most ancestors that are looked at; more mean a circle. */
const maxAncestors = 1000;

/** For whom this process acts. */
export function actingFor(environment: NodeJS.ProcessEnv = process.env): Identity {
  const call = environment[callVariable];
  if (call !== undefined) return agent(call);
  return process.platform === 'linux' ? actingThrough(process.ppid, new Set()) : person;
}

/**
 * For whom a process acts: an agent if it, or a process that it descends from, was started for a call of a tool, or is one
 * of `drivers`, which start processes for such calls only. A process that cannot be looked at is taken for an agent's; an
 * ancestor that cannot is another user's, and nobody's agent.
 */
export function actingThrough(pid: number, drivers: ReadonlySet<number>): Identity {
  let at = pid;
  for (let count = 0; at > 0 && count < maxAncestors; count++) {
    const about = lookAt(at);
    if (about === null) return at === pid ? agent('') : person;
    if (about.call !== null) return agent(about.call);
    if (drivers.has(at)) return agent('');
    at = about.parent;
  }
  return person;
}

type Process = { parent: number; call: string | null };

/** Null if there is none, or it is hidden. Of a process of another user, such as a login, nothing but its parent is seen. */
function lookAt(pid: number): Process | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it may hold anything, also brackets.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(parent), call: callOf(pid) };
  } catch {
    return null;
  }
}

function callOf(pid: number): string | null {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return entries.find((entry) => entry.startsWith(`${callVariable}=`))?.slice(callVariable.length + 1) ?? null;
  } catch {
    return null;
  }
}

/** Whether a process has this file open, which proves that it is the one that was given the path. */
export function hasOpen(pid: number, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) => linkOf(`${folder}/${name}`) === path);
  } catch {
    return false;
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // Closed meanwhile.
    return null;
  }
}
