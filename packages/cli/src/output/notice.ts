/** Lines for people that are no part of a command's output: they go to standard error, made safe for the terminal. */
import { visible } from '@pawl/engine/readers/visible';

let conversation: ((line: string) => void) | null = null;

/** While a conversation is shown at the terminal, they stand in it; null takes them back to standard error. */
export function showNoticesIn(shown: typeof conversation): void {
  conversation = shown;
}

export function printNotice(line: string): void {
  if (conversation === null) process.stderr.write(`${visible(line)}\n`);
  else conversation(line);
}

/** A notice about something that is wrong, with the program's name before it. */
export function printWarning(line: string): void {
  printNotice(`pawl: ${line}`);
}
