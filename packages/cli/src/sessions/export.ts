import { writeFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { exportHtml, exportJson, exportMarkdown, transcribe } from '@pawl/engine/readers';
import type { DurableEvent } from '@pawl/protocol';
import { messageOf } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
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
  const events = await withLog(async (log) => log.read((await findSession(log, named)).session));
  const chosen = format ?? formats[extname(output ?? '').toLowerCase()] ?? 'markdown';
  const text = documentOf(events, chosen);
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
  process.stderr.write(`Wrote ${path}.\n`);
  return exitCodes.completed;
}

function documentOf(events: readonly DurableEvent[], format: Format): string {
  switch (format) {
    case 'markdown':
      return exportMarkdown(transcribe(events));
    case 'html':
      return exportHtml(transcribe(events));
    case 'json':
      return exportJson(events);
    default:
      return format satisfies never;
  }
}
