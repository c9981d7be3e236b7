/** Arguments in the user's own editor. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@pawl/protocol';
import { messageOf } from '@pawl/protocol';

/** `VISUAL`, else `EDITOR`, else null: then there is the line editor. */
export function editorCommand(environment: NodeJS.ProcessEnv = process.env): string | null {
  return environment.VISUAL || environment.EDITOR || null;
}

/** `text` is what was written, to be mended; null where nothing could be. */
export type Edited = { kind: 'input'; input: JsonObject } | { kind: 'problem'; message: string; text: string | null };

/** Opens `draft`, which is JSON, in the editor and reads what became of it. The file is this user's alone, and removed. */
export async function editInEditor(command: string, draft: string): Promise<Edited> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-'));
  try {
    const file = join(folder, 'arguments.json');
    await writeFile(file, draft, { mode: 0o600 });
    const problem = await openEditor(command, file);
    return problem === null
      ? readInput(await readFile(file, 'utf8'))
      : { kind: 'problem', message: problem, text: null };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An editor may be a command with options, such as `code --wait`, so the shell reads it. */
function openEditor(command: string, file: string): Promise<string | null> {
  return new Promise((resolve) => {
    const editor = spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', file], { stdio: 'inherit' });
    editor.on('error', (error) => resolve(`The editor ${command} could not be started: ${error.message}.`));
    editor.on('exit', (code, signal) =>
      resolve(code === 0 ? null : `The editor ended with ${signal ?? `code ${code}`}.`),
    );
  });
}

/** The arguments of a call, as a person wrote them. */
export function readInput(text: string): Edited {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { kind: 'input', input: value as JsonObject };
    }
    return { kind: 'problem', message: 'The arguments must be a JSON object.', text };
  } catch (error) {
    return { kind: 'problem', message: `That is no JSON: ${messageOf(error)}. Press e to mend it.`, text };
  }
}
