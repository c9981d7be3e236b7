/** Whether a person is there to be asked, and where their keys come from. */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';

/** The terminal of a process, whatever its standard input is. */
const terminalPath = '/dev/tty';

/**
 * Whether somebody may have put something on standard input: a pipe, a socket or a file; not a terminal, not `/dev/null`.
 * Looked at before anybody reads it, or closes it.
 */
export const isInputPiped = looksPiped();

/**
 * Somebody who can see a question and type the answer. Where something is piped in, its questions go to the terminal
 * itself; a standard input from `/dev/null`, or none, says that nobody is to be asked.
 */
export function isPersonThere(): boolean {
  if (process.stderr.isTTY !== true) return false;
  return process.stdin.isTTY === true || (isInputPiped && hasTerminal());
}

/** Where a person's keys come from, where one is there. Whoever opens it ends the process or destroys it. */
export function openKeyboard(): ReadStream {
  return process.stdin.isTTY === true ? process.stdin : new ReadStream(openSync(terminalPath, 'r+'));
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync(terminalPath, 'r+'));
    return true;
  } catch {
    return false;
  }
}

function looksPiped(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket() || input.isFile();
  } catch {
    return false;
  }
}
