import type { Model } from '@pawl/engine';
import { createHost } from '@pawl/engine';
import { visible } from '@pawl/engine/readers/visible';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { openOutput } from '../output/stdout.ts';
import { findSession } from './find.ts';
import { withLog } from './open.ts';

/** `pawl sessions fork`: the id of the copy, and the text of the message it stops before. */
export async function forkSession(
  named: string,
  { before, json }: { before?: string; json?: true },
): Promise<ExitCode> {
  const { session, draft } = await withLog(async (log) => {
    const source = await findSession(log, named);
    const host = createHost({ log, model: noModel });
    return host.fork(source.session, before === undefined ? {} : { beforeMessage: before });
  });
  const text = draft?.map((part) => part.text).join('\n') ?? null;
  const output = openOutput(process.stdout);
  await output.write(json === true ? `${JSON.stringify({ session, draft: text }, null, 2)}\n` : `${session}\n`);
  await output.flush();
  if (json === true) return exitCodes.completed;
  if (text !== null)
    process.stderr.write(`It stops before this message, which you may send again or change:\n${visible(text)}\n`);
  process.stderr.write(`Go on with: pawl run --resume ${session} "what to do"\n`);
  return exitCodes.completed;
}

/** A copy is made without one. */
const noModel: Model = {
  id: 'none',
  info: { contextTokens: 1, outputTokens: 1, isPriceKnown: false },
  stream() {
    throw new Error('A session that is being copied calls no model.');
  },
};
