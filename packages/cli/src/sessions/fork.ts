import type { Storage } from '@pawl/engine';
import { createHost } from '@pawl/engine';
import { visible } from '@pawl/engine/readers/visible';
import { textOf } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { findSession } from './find.ts';
import { noModel } from './no-model.ts';
import { withLog } from './open.ts';

/** `pawl sessions fork`: the id of the copy, and the text of the message it stops before. */
export async function forkSession(
  named: string,
  { before, json }: { before?: string; json?: true },
): Promise<ExitCode> {
  const { session, draft } = await withLog(async (log) => {
    const source = await findSession(log, named);
    return copySession(log, source.session, before);
  });
  const text = draft === null ? null : textOf(draft);
  const output = openOutput(process.stdout);
  await output.write(json === true ? `${JSON.stringify({ session, draft: text }, null, 2)}\n` : `${session}\n`);
  await output.flush();
  if (json === true) return exitCodes.completed;
  if (text !== null)
    process.stderr.write(`It stops before this message, which you may send again or change:\n${visible(text)}\n`);
  printNotice(`Go on with: pawl run --resume ${session} "what to do"`);
  return exitCodes.completed;
}

/** The copy, and the message it stops before. @throws `no_message`. */
export async function copySession(log: Storage, session: string, before?: string) {
  const host = createHost({ log, model: noModel });
  return host.fork(session, before === undefined ? {} : { beforeMessage: before });
}
