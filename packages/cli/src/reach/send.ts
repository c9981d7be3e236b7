import { createId, type Storage } from '@pawl/engine';
import type { CommandData, Limits } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { type OutputFormat, readBudget } from '../run/flags.ts';
import { readPrompt } from '../run/prompt.ts';
import { untilAnswered } from '../run/watch.ts';
import { findSession } from '../sessions/find.ts';
import { withLog } from '../sessions/open.ts';
import { usageError } from '../usage-error.ts';
import { deliver } from './deliver.ts';
import { type Followed, follow } from './follow.ts';
import { isGone, ownerOf } from './owner.ts';

export type SendFlags = {
  steer?: true;
  interrupt?: true;
  reject?: true;
  /** Commander's word for `--no-wait`. */
  wait: boolean;
  outputFormat: OutputFormat;
  sessionTokens?: string;
  sessionUsd?: string;
};

/**
 * `pawl send <session> "…"`: an input for a session, whoever drives it. Where nobody does, its turn is run here.
 * @throws `no_session`, `busy` and other refusals.
 */
export async function sendInput(named: string, words: readonly string[], flags: SendFlags): Promise<ExitCode> {
  const delivery = deliveryOf(flags);
  const limits = readBudget(flags);
  const prompt = await readPrompt(words, undefined);
  if (prompt === null)
    throw usageError('There is nothing to send. Give it: pawl send <session> "what to do", or pipe it in.');
  const id = createId();
  const { session, followed } = await withLog(async (log) => {
    const { session } = await findSession(log, named);
    const input = { session, prompt, delivery, limits, id };
    return {
      session,
      followed: flags.wait ? await sendAndFollow(log, input, flags.outputFormat) : await leave(log, input),
    };
  });
  const { runPrompt } = await import('../run/run.ts');
  if (followed === null)
    return runPrompt(prompt, { resume: session, outputFormat: flags.outputFormat, ...budgetOf(flags) });
  if (followed.end === 'over') return followed.exitCode;
  printNotice(`The process that drove session ${session} is gone. Going on with it here.`);
  return runPrompt(null, { resume: session, outputFormat: flags.outputFormat });
}

type Input = {
  session: string;
  prompt: string;
  delivery: CommandData['input.send']['delivery'];
  limits: Partial<Limits>;
  id: string;
};

/** Null where nobody drives the session. */
async function sendAndFollow(log: Storage, input: Input, format: OutputFormat): Promise<Followed | null> {
  const { session, prompt, delivery, limits, id } = input;
  const owner = await ownerOf(log, session);
  if (owner === null) return null;
  let isSent = false;
  try {
    const remote = await owner.open(session);
    const { seq } = await remote.view();
    const begin = async () => {
      if (Object.keys(limits).length > 0) await remote.configure({ limits });
      await remote.command('input.send', { content: [{ type: 'text', text: prompt }], delivery }, id);
      isSent = true;
      return untilAnswered(id);
    };
    return await follow({ log, owner, session, fromSeq: seq, format, begin });
  } catch (error) {
    if (!isGone(error)) throw error;
    // Its driver is gone: what it had taken is in the log, and gone on with.
    const isTaken =
      isSent || (await log.read(session)).some((event) => event.type === 'input.queued' && event.data.input === id);
    return isTaken ? { exitCode: exitCodes.later, end: 'gone' } : null;
  } finally {
    owner.close();
  }
}

/** Leaves it for whoever drives the session, or will. */
async function leave(log: Storage, { session, prompt, delivery, limits, id }: Input): Promise<Followed> {
  if (Object.keys(limits).length > 0) await deliver(log, { session, type: 'session.configure', data: { limits } });
  const data = { content: [{ type: 'text' as const, text: prompt }], delivery };
  const { isDriven } = await deliver(log, { session, type: 'input.send', data }, id);
  const next = isDriven
    ? `Watch it: pawl watch ${session}`
    : `Nobody drives the session. Go on with it: pawl run --resume ${session}`;
  printNotice(`Sent as ${id}. ${next}`);
  return { exitCode: exitCodes.completed, end: 'over' };
}

function deliveryOf({ steer, interrupt, reject }: SendFlags): Input['delivery'] {
  if ([steer, interrupt, reject].filter((flag) => flag === true).length > 1) {
    throw usageError('--steer, --interrupt and --reject: give one of them.');
  }
  return steer === true ? 'steer' : interrupt === true ? 'interrupt' : reject === true ? 'reject' : 'queue';
}

const budgetOf = ({ sessionTokens, sessionUsd }: SendFlags) => ({
  ...(sessionTokens !== undefined && { sessionTokens }),
  ...(sessionUsd !== undefined && { sessionUsd }),
});
