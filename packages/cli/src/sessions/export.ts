import { writeFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { keptEvents, type Redactor, type Storage } from '@pawl/engine';
import { blobsIn, exportHtml, exportJson, exportMarkdown, tasksIn, transcribe } from '@pawl/engine/readers';
import type { DurableEvent } from '@pawl/protocol';
import { messageOf } from '@pawl/protocol';
import { createRedactor, secretsIn } from '@pawl/tools';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { usageError } from '../usage-error.ts';
import { findSession } from './find.ts';
import { withLog } from './open.ts';

type Format = 'markdown' | 'html' | 'json';
const formats: Record<string, Format> = { '.html': 'html', '.htm': 'html', '.json': 'json' };

/** `pawl sessions export`. A file holds what was said and read, so a new one is for its owner only. */
export async function exportSession(
  named: string,
  { format, output }: { format?: Format; output?: string },
): Promise<ExitCode> {
  const chosen = format ?? formats[extname(output ?? '').toLowerCase()] ?? 'markdown';
  const text = await withLog(async (log) => {
    const { session } = await findSession(log, named);
    return documentOf(log, await log.read(session), chosen, createRedactor(secretsIn(process.env)));
  });
  if (output === undefined) {
    const stdout = openOutput(process.stdout);
    await stdout.write(text);
    await stdout.flush();
    return exitCodes.completed;
  }
  const path = resolve(output);
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch (cause) {
    throw usageError(`-o/--output: ${path} cannot be written: ${messageOf(cause)}.`, { cause });
  }
  printNotice(`Wrote ${path}.`);
  return exitCodes.completed;
}

/** What the session would not be whole without: its tasks, and large bodies. */
async function besideOf(log: Storage, events: readonly DurableEvent[], redactor: Redactor) {
  const tasks: { session: string; events: DurableEvent[] }[] = [];
  const open = tasksIn(events);
  for (let session = open.shift(); session !== undefined; session = open.shift()) {
    const below = await log.read(session);
    if (below.length > 0) tasks.push({ session, events: [...keptEvents(below, redactor)] });
    open.push(...tasksIn(below));
  }
  const blobs: Record<string, string> = {};
  for (const digest of blobsIn([...events, ...tasks.flatMap((task) => task.events)])) {
    const bytes = await log.get(digest);
    if (bytes === null || holdsSecret(bytes, redactor)) continue;
    blobs[digest] = Buffer.from(bytes).toString('base64');
  }
  return { tasks, blobs };
}

/** What was written before the log left secrets out is not given out either. */
async function documentOf(
  log: Storage,
  written: readonly DurableEvent[],
  format: Format,
  redactor: Redactor,
): Promise<string> {
  const events = keptEvents(written, redactor);
  switch (format) {
    case 'markdown':
      return exportMarkdown(transcribe(events));
    case 'html':
      return exportHtml(transcribe(events));
    case 'json':
      return exportJson(events, await besideOf(log, events, redactor));
    default:
      return format satisfies never;
  }
}

function holdsSecret(bytes: Uint8Array, { keep = (text) => text }: Redactor): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  return keep(text) !== text;
}
