/** `pawl context --list` and `--remove`: what is large in what the model sees, and how a person takes it out. */

import { createHost } from '@pawl/engine';
import { removableIn } from '@pawl/engine/core';
import { stateOf } from '@pawl/engine/readers';
import { oneLine } from '@pawl/engine/readers/visible';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { findSession } from '../sessions/find.ts';
import { noModel } from '../sessions/no-model.ts';
import { withLog } from '../sessions/open.ts';
import { usageError } from '../usage-error.ts';

/** Entries shown, unless as JSON. */
const maxShown = 20;

/** The largest contents first, each with the id by which it can be taken out. */
export async function listContents(named: string, { json }: { json?: true }): Promise<ExitCode> {
  const events = await withLog(async (log) => log.read((await findSession(log, named)).session));
  const contents = removableIn(stateOf(events)).map(({ message, call, part, ...rest }) => ({
    id: `${message}:${call ?? part}`,
    ...rest,
  }));
  const lines = contents
    .slice(0, maxShown)
    .map(
      ({ id, tokens, source, what }) => `${id.padEnd(20)}${String(tokens).padStart(9)}  ${oneLine(source)}: ${what}`,
    );
  const text = [`${'id'.padEnd(20)}${'tokens'.padStart(9)}  content`, ...lines, ''].join('\n');
  process.stdout.write(json === true ? `${JSON.stringify(contents, null, 2)}\n` : text);
  return exitCodes.completed;
}

/** @throws `no_message` if there is none of this id. */
export async function removeContent(named: string, id: string): Promise<ExitCode> {
  const content = contentNamed(id);
  await withLog(async (log) => {
    const { session } = await findSession(log, named);
    const host = createHost({ log, model: noModel });
    try {
      const opened = await host.open(session);
      await opened.command('context.remove', content);
    } finally {
      await host.close();
    }
  });
  printNotice(`Taken out of what the model sees: ${id}. The log keeps it.`);
  return exitCodes.completed;
}

/** `m12:t3_s1_c1` is a result, `m12:0` a part of what a person said, `m12` all of a message. */
function contentNamed(id: string): { message: string; call?: string; part?: number } {
  const match = /^(m\d+)(?::(\d+|t\d+_s\d+_c\d+))?$/.exec(id);
  if (match?.[1] === undefined) {
    throw usageError(`"${id}" is no id of a content. List them with: pawl context <session> --list`);
  }
  const [, message, place] = match;
  if (place === undefined) return { message };
  return /^\d+$/.test(place) ? { message, part: Number(place) } : { message, call: place };
}
