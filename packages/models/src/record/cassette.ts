import type { ModelEvent } from '@pawl/engine';
import { type ModelInfo, messageOf, PawlError } from '@pawl/protocol';
import type { FailureDetails } from '../errors.ts';
import type { Comparable } from './comparable.ts';

/**
 * A cassette is a text file with one JSON value a line: a header, then for each call of the model a `call`, written
 * when it begins, and an `answer`, written when it ends. A call without an answer was cut off by a crash.
 */
export const cassetteVersion = 1;

export type Header = { type: 'cassette'; version: number; model: string; info: ModelInfo };
export type CallLine = {
  type: 'call';
  call: number;
  /** Sessions are numbered in the order in which they first called. */
  session: number;
  tools: string[];
  /** So many messages are those of the session's call before. */
  from: number;
  /** The messages after these. */
  messages: Comparable[];
};
export type AnswerLine = {
  type: 'answer';
  call: number;
  events: ModelEvent[];
  error?: { code: string; message: string; details: FailureDetails };
};

/** One recorded call with the whole history it was made with. */
export type RecordedCall = {
  call: number;
  session: number;
  tools: string[];
  messages: Comparable[];
  answer: AnswerLine | null;
};

/** @throws `bad_cassette`, `cassette_too_new`. */
export function readCassette(text: string, path: string): { header: Header; calls: RecordedCall[] } {
  const calls = new Map<number, RecordedCall>();
  const histories = new Map<number, Comparable[]>();
  let header: Header | null = null;
  const rows = text.split('\n');
  for (const [index, row] of rows.entries()) {
    if (row === '') continue;
    // Only the last line can be half written.
    const line = parseLine(row, path, index + 1, index === rows.length - 1);
    if (line === null) break;
    if (header === null) {
      if (line.type !== 'cassette') throw badCassette(path, index + 1, 'it does not begin with a header');
      if (line.version > cassetteVersion) {
        throw new PawlError(
          'cassette_too_new',
          `${path} was recorded by a newer Pawl (cassette version ${line.version}). Update Pawl to replay it.`,
        );
      }
      header = line;
    } else if (line.type === 'call') {
      const messages = [...(histories.get(line.session) ?? []).slice(0, line.from), ...line.messages];
      histories.set(line.session, messages);
      calls.set(line.call, { call: line.call, session: line.session, tools: line.tools, messages, answer: null });
    } else if (line.type === 'answer') {
      const call = calls.get(line.call);
      if (call === undefined) throw badCassette(path, index + 1, `it answers call ${line.call}, which was not made`);
      call.answer = line;
    }
  }
  if (header === null) throw badCassette(path, 1, 'it is empty');
  return { header, calls: [...calls.values()] };
}

function parseLine(row: string, path: string, number: number, isLast: boolean): Header | CallLine | AnswerLine | null {
  try {
    return JSON.parse(row) as Header | CallLine | AnswerLine;
  } catch (error) {
    if (isLast && number > 1) return null;
    throw badCassette(path, number, messageOf(error));
  }
}

function badCassette(path: string, line: number, reason: string): PawlError {
  return new PawlError('bad_cassette', `${path} is no cassette (line ${line}: ${reason}). Record one with --record.`);
}
