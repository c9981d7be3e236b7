/** The process: a command line in, an exit code out, and one clear line for whatever goes wrong. */
import { isPawlError, messageOf } from '@pawl/protocol';
import { exitCodeOfError } from './exit-codes.ts';
import { runCommandLine } from './program.ts';

/** Ends the process. */
export async function main(argv: readonly string[]): Promise<void> {
  // Whoever closed them does not want to read more.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.exit(await runCommandLine(argv).catch(explain));
}

async function explain(error: unknown): Promise<number> {
  const text = isPawlError(error) ? messageOf(error) : faultText(error);
  const { visible } = await import('@pawl/engine/readers/visible');
  process.stderr.write(`pawl: ${visible(text)}\n`);
  return exitCodeOfError(error);
}

/** What nobody foresaw: here the place in the code helps, in a report to us. */
function faultText(error: unknown): string {
  const stack = error instanceof Error && error.stack !== undefined ? error.stack : String(error);
  return `something went wrong that should not have. Please report this:\n${stack}`;
}
