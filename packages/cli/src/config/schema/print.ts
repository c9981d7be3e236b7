/** The published schema of the settings. */
import { readFileSync } from 'node:fs';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { openOutput } from '../../output/stdout.ts';

function schemaText(): string {
  return readFileSync(new URL('./config.schema.json', import.meta.url), 'utf8');
}

/** `pawl config schema`. */
export async function printSchema(): Promise<ExitCode> {
  const output = openOutput(process.stdout);
  await output.write(schemaText());
  await output.flush();
  return exitCodes.completed;
}
