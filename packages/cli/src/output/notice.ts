/** Lines for people that are no part of a command's output: they go to standard error, made safe for the terminal. */
import { visible } from '@pawl/engine/readers/visible';

export function printNotice(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}

/** A notice about something that is wrong, with the program's name before it. */
export function printWarning(line: string): void {
  printNotice(`pawl: ${line}`);
}
