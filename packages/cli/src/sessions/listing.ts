/** `pawl sessions rename` and `archive`: how a session stands in lists. Whoever drives it goes on. */

import { oneLine } from '@pawl/engine/readers/visible';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { deliver } from '../reach/deliver.ts';
import { usageError } from '../usage-error.ts';
import { findSession } from './find.ts';
import { withLog } from './open.ts';

const longestTitle = 200;

/** @throws `usage`, `no_session`. */
export async function renameSession(named: string, words: readonly string[]): Promise<ExitCode> {
  const title = oneLine(words.join(' ')).trim();
  if (title === '' || title.length > longestTitle) {
    throw usageError(`A session's name is one line of 1 to ${longestTitle} characters.`);
  }
  return withLog(async (log) => {
    const { session } = await findSession(log, named);
    await deliver(log, { session, type: 'session.rename', data: { title } });
    printNotice(`Session ${session} is now called ${title}.`);
    return exitCodes.completed;
  });
}

/** @throws `already_archived`, `not_archived`. */
export async function archiveSession(named: string, { undo }: { undo?: true }): Promise<ExitCode> {
  return withLog(async (log) => {
    const { session } = await findSession(log, named);
    const type = undo === true ? 'session.unarchive' : 'session.archive';
    await deliver(log, { session, type, data: {} });
    const how = undo === true ? 'is in lists again' : 'is archived; pawl sessions list --archived shows it';
    printNotice(`Session ${session} ${how}.`);
    return exitCodes.completed;
  });
}
