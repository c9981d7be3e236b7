import { fileChangesOf } from '@pawl/engine/readers';
import { visible } from '@pawl/engine/readers/visible';
import type { DurableEvent } from '@pawl/protocol';
import { PawlError, textOf } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { copySession } from '../sessions/fork.ts';
import { usageError } from '../usage-error.ts';
import { reportToSession, withRestingSession } from './resting-session.ts';
import { perform, planFor, type ReverseFlags, report, reportJson } from './reverse.ts';
import { pathsText } from './undo.ts';

export type RewindFlags = ReverseFlags & {
  before: string;
  files?: true;
  conversation?: true;
  both?: true;
};

/**
 * `pawl sessions rewind`: files as they were before a message, the conversation as it was then, or both. The
 * conversation goes on in a copy; nothing of the session itself is lost. @throws `not_undoable`, `no_message`.
 */
export async function rewind(named: string, flags: RewindFlags): Promise<ExitCode> {
  const isOfFiles = flags.files === true || flags.both === true;
  const isOfConversation = flags.conversation === true || flags.both === true;
  if (!isOfFiles && !isOfConversation) throw usageError('Say what to rewind: --files, --conversation or --both.');
  const done = await withRestingSession(named, async (ground) => {
    const afterSeq = seqBefore(ground.events, flags.before);
    const { session } = ground.summary;
    const changes = fileChangesOf(ground.events, { afterSeq, tasks: ground.tasks });
    const reversal = isOfFiles ? await planFor(ground, changes, 'undo', flags) : null;
    const isChanged = reversal !== null && (await perform(reversal, flags));
    const isCopied = isOfConversation && flags.dryRun !== true;
    const copy = isCopied ? await copySession(ground.log, session, flags.before) : null;
    return { session, changes, reversal, isChanged, copy };
  });
  const { session, changes, reversal, isChanged, copy } = done;
  if (isChanged && reversal !== null) {
    const files = pathsText(reversal.steps);
    const onward = copy === null ? '' : ` The work went on from there in session ${copy.session}.`;
    await reportToSession(
      session,
      `The user put files back to what they were before message ${flags.before}: ${files}.${onward} Read a file again before you rely on it.`,
      { direction: 'undo', files: reversal.digests },
    );
  }
  const draft = copy === null || copy.draft === null ? null : textOf(copy.draft);
  if (flags.json === true && reversal !== null) {
    process.stdout.write(reportJson(reversal, changes, { session: copy?.session ?? session, draft }));
  } else if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ session: copy?.session ?? session, draft }, null, 2)}\n`);
  } else if (copy !== null) process.stdout.write(`${copy.session}\n`);
  if (reversal !== null) {
    const head = flags.dryRun === true ? 'To rewind' : 'Rewound';
    process.stderr.write(`${head} files to before ${flags.before}:\n${report(reversal, changes, flags)}`);
  }
  if (copy !== null) {
    if (draft !== null) {
      process.stderr.write(`It stops before this message, which you may send again or change:\n${visible(draft)}\n`);
    }
    printNotice(`Go on with: pawl run --resume ${copy.session} "what to do"`);
  }
  return exitCodes.completed;
}

/** The number of the last event before a message. @throws `no_message`. */
function seqBefore(events: readonly DurableEvent[], message: string): number {
  const event = events.find(({ seq }) => `m${seq}` === message);
  if (event?.type === 'message.added' || event?.type === 'tool.finished') return event.seq - 1;
  throw new PawlError(
    'no_message',
    `There is no message ${message} in this session. Show them with: pawl sessions show`,
  );
}
