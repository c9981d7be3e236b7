/** `pawl sessions import`: a session from the JSON that `pawl sessions export` wrote, here or on another machine. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createId, type Storage } from '@pawl/engine';
import { evolve, initialState } from '@pawl/engine/core';
import { blobsIn, type ExportedSession, renamed } from '@pawl/engine/readers';
import type { DurableEvent } from '@pawl/protocol';
import { isWiderMode, messageOf, PawlError, protocolVersion, upgradeEvent } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { usageError } from '../usage-error.ts';
import { withLog } from './open.ts';

type Log = { session: string; events: DurableEvent[] };

/** It keeps its id where that is free. @throws `usage`, `bad_import`, `log_too_new`. */
export async function importSession(path: string): Promise<ExitCode> {
  const exported = await readExport(path);
  const { session, wasThere } = await withLog((log) => importInto(log, exported));
  const output = openOutput(process.stdout);
  await output.write(`${session}\n`);
  await output.flush();
  if (wasThere) printNotice(`Session ${session} was here already, just as it is in the file.`);
  else if (session !== exported.session)
    printNotice(`There is another session ${exported.session} here, so it is ${session}.`);
  for (const line of warningsOf(exported)) printNotice(line);
  return exitCodes.completed;
}

async function importInto(log: Storage, exported: ExportedSession): Promise<{ session: string; wasThere: boolean }> {
  const { session: given, events, tasks = [], blobs = {} } = exported;
  const all: Log[] = [
    { session: given, events: [...events] },
    ...tasks.map((task) => ({ ...task, events: [...task.events] })),
  ];
  const stored = await Promise.all(all.map(({ session }) => log.read(session)));
  if (stored.every((found, index) => JSON.stringify(found) === JSON.stringify(all[index]?.events))) {
    return { session: given, wasThere: true };
  }
  const session = stored.some((found) => found.length > 0) ? createId() : given;
  const logs = session === given ? all : all.map((each) => renamedLog(each, given, session));
  for (const digest of new Set(all.flatMap((each) => [...blobsIn(each.events)]))) {
    const base64 = blobs[digest];
    if (base64 === undefined) continue;
    const kept = await log.put(Buffer.from(base64, 'base64'));
    if (kept !== digest) throw badImport(`The body ${digest} is not what it says it is.`);
  }
  // The session itself comes last: until then, nothing refers to what is there.
  for (const each of logs.reverse()) await log.append(each.session, 0, each.events);
  return { session, wasThere: false };
}

function renamedLog({ session, events }: Log, from: string, to: string): Log {
  return { session: `${to}${session.slice(from.length)}`, events: renamed(events, from, to) };
}

/** Checked in whole before anything is written. */
async function readExport(path: string): Promise<ExportedSession> {
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : resolve(path), 'utf8');
  } catch (cause) {
    throw usageError(`${path} cannot be read: ${messageOf(cause)}.`, { cause });
  }
  const exported = parse(text);
  if (exported.protocolVersion > protocolVersion) {
    throw new PawlError('log_too_new', `${path} was written by a newer Pawl. Nothing was imported. Update Pawl.`);
  }
  const tasks = exported.tasks ?? [];
  for (const task of tasks) {
    if (!task.session.startsWith(`${exported.session}.`))
      throw badImport(`${task.session} is no task of ${exported.session}.`);
  }
  const { eventSchema } = await import('@pawl/protocol/schemas');
  const check = ({ session, events }: { session: string; events: readonly DurableEvent[] }) => {
    const state = initialState();
    if (events.length === 0) throw badImport('It holds no events.');
    const read = events.map((event, index) => {
      const upgraded = upgradeEvent(event);
      const parsed = eventSchema.safeParse(upgraded);
      const isPlaced = event.seq === index + 1 && event.session === session;
      if (!parsed.success || !isPlaced)
        throw badImport(`Event ${index + 1} of ${session} is none, or not in its place.`);
      return upgraded;
    });
    for (const event of read) evolve(state, event);
    return { session, events: read };
  };
  return { ...exported, events: check(exported).events, tasks: tasks.map(check) };
}

function parse(text: string): ExportedSession {
  let value: Partial<ExportedSession> | null = null;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badImport('It is no JSON.', cause);
  }
  const { format, session, events } = value ?? {};
  if (
    format === 'pawl.session' &&
    typeof session === 'string' &&
    /^[\w.-]{1,200}$/.test(session) &&
    Array.isArray(events)
  ) {
    return value as ExportedSession;
  }
  throw badImport('It is no session. Export one with: pawl sessions export <id> --format json');
}

function badImport(problem: string, cause?: unknown): PawlError {
  return new PawlError('bad_import', `Nothing was imported. ${problem}`, { cause });
}

/** What holds in it though nobody here said so. */
function warningsOf({ events, session }: ExportedSession): string[] {
  const state = initialState();
  for (const event of events) evolve(state, event);
  const { rules, mode } = state.settings;
  return [
    ...(rules.allow.length > 0 ? [`It brings rules along that allow: ${rules.allow.join(', ')}`] : []),
    ...(isWiderMode(mode) ? [`Its mode is ${mode}.`] : []),
    ...(state.turn === null ? [] : [`A turn is open: what it was doing is done when ${session} is gone on with.`]),
  ];
}
