/** `pawl approve`, `deny` and `answer`: a person's word on what a session, or one of its tasks, asks. */

import type { Storage } from '@pawl/engine';
import { oneLine } from '@pawl/engine/readers/visible';
import { parseRule } from '@pawl/policy';
import type { Answer, JsonObject, Question } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { findSession } from '../sessions/find.ts';
import { withLog } from '../sessions/open.ts';
import { usageError } from '../usage-error.ts';
import { type CommandRequest, deliver } from './deliver.ts';
import { readerOf } from './guest.ts';
import { choosePending, type Pending, pendingIn } from './pending.ts';

export type ApproveFlags = { reason?: string; input?: string; allow?: string[] };

/** `pawl approve <session> [call]`. @throws `no_approval`, `already_answered`, `human_only`. */
export async function approveCall(named: string, call: string | undefined, flags: ApproveFlags): Promise<ExitCode> {
  for (const rule of flags.allow ?? []) parseRule(rule);
  const input = flags.input === undefined ? undefined : readObject(flags.input);
  const rules = (flags.allow ?? []).map((rule) => ({ list: 'allow' as const, rule }));
  return resolve(named, call, 'approval', (pending) => ({
    session: pending.session,
    type: 'approval.resolve',
    data: {
      call: pending.call,
      decision: 'allow',
      ...(flags.reason !== undefined && { reason: flags.reason }),
      ...(input !== undefined && { input }),
      ...(rules.length > 0 && { rules }),
    },
  }));
}

/** `pawl deny <session> [call]`. */
export async function denyCall(named: string, call: string | undefined, flags: { reason?: string }): Promise<ExitCode> {
  const reason = flags.reason === undefined ? {} : { reason: flags.reason };
  return resolve(named, call, 'approval', (pending) => ({
    session: pending.session,
    type: 'approval.resolve',
    data: { call: pending.call, decision: 'deny', ...reason },
  }));
}

export type AnswerFlags = { call?: string; decline?: true; reason?: string };

/** `pawl answer <session> <answers…>`: an option or words for each question; several options with commas. */
export async function answerCall(named: string, words: readonly string[], flags: AnswerFlags): Promise<ExitCode> {
  if (flags.decline === true && words.length > 0) throw usageError('--decline gives no answers; leave them out.');
  return resolve(named, flags.call, 'question', (pending) => {
    const { session, call } = pending;
    if (flags.decline === true) {
      const reason = flags.reason === undefined ? {} : { reason: flags.reason };
      return { session, type: 'question.decline', data: { call, ...reason } };
    }
    const questions = pending.kind === 'question' ? pending.asked.questions : [];
    return { session, type: 'question.answer', data: { call, answers: answersTo(questions, words) } };
  });
}

function answersTo(questions: readonly Question[], words: readonly string[]): Answer[] {
  if (words.length !== questions.length) {
    const asked = questions.map(
      ({ text, options }) =>
        `${oneLine(text)}${options.length > 0 ? ` (${options.map(({ label }) => oneLine(label)).join(' | ')})` : ''}`,
    );
    throw usageError(
      `There ${questions.length === 1 ? 'is one question' : `are ${questions.length} questions`}, each with one answer: ${asked.join('; ')}`,
    );
  }
  return questions.map((question, index) => answerTo(question, words[index] ?? ''));
}

/** An option by its label or its number; several with commas, where several can be chosen; else words. */
function answerTo({ options, isMultiple }: Question, word: string): Answer {
  const labelOf = (text: string) =>
    options.find(({ label }) => label.toLowerCase() === text.trim().toLowerCase())?.label ??
    (/^\d+$/.test(text.trim()) ? options[Number(text.trim()) - 1]?.label : undefined);
  const whole = labelOf(word);
  if (whole !== undefined) return { choices: [whole] };
  const parts = isMultiple ? word.split(',').map(labelOf) : [];
  const chosen = parts.flatMap((label) => label ?? []);
  if (parts.length > 0 && chosen.length === parts.length) return { choices: chosen };
  return { choices: [], text: word };
}

async function resolve(
  named: string,
  call: string | undefined,
  kind: Pending['kind'],
  errand: (pending: Pending) => CommandRequest,
): Promise<ExitCode> {
  const { main, pending, isDriven } = await withLog(async (log) => {
    const { session } = await findSession(log, named);
    const pending = choosePending(await pendingIn(readerOf(log), session), { session, call, kind });
    const { isDriven } = await deliver(log, errand(pending));
    return { main: await mainOf(log, pending.session), pending, isDriven };
  });
  printNotice(saidText(pending));
  if (isDriven) return exitCodes.completed;
  // What else is asked waits for other terminals, as this did.
  const { runPrompt } = await import('../run/run.ts');
  return runPrompt(null, { resume: main, outputFormat: 'text', attended: true });
}

function saidText({ kind, asked, session, call }: Pending): string {
  const what = kind === 'approval' ? `${asked.tool} (${call})` : `the questions of ${call}`;
  return `Answered: ${oneLine(what)} of session ${session}.`;
}

/** The session that a task works for in the end: its id is what the ids of all below begin with. */
async function mainOf(log: Storage, session: string): Promise<string> {
  const sessions = await log.list({ limit: Number.MAX_SAFE_INTEGER, isMain: true });
  return sessions.find((main) => session.startsWith(`${main.session}.`))?.session ?? session;
}

function readObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Told below.
  }
  throw usageError(`--input: "${text}" is no JSON object of arguments.`);
}
