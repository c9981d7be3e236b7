/** YAML as plain values, with every mistake as one line. */
import { readFileSync } from 'node:fs';
import { messageOf, PawlError } from '@pawl/protocol';

export function badConfig(path: string, problem: string, cause?: unknown): PawlError {
  return new PawlError('bad_config', `${path}: ${problem}`, { cause });
}

/** An empty file says nothing. @throws `bad_config`. */
export async function parseConfig(path: string): Promise<unknown> {
  const { LineCounter, parseDocument } = await import('yaml');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw badConfig(path, `it cannot be read: ${messageOf(cause)}`, cause);
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    const said =
      error.code === 'DUPLICATE_KEY'
        ? 'this setting stands there already'
        : (error.message.split('\n')[0] ?? error.code);
    throw badConfig(path, `line ${line}, column ${col}: ${said}`, error);
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    // An alias inside what it stands for has no end.
    JSON.stringify(value);
    return value ?? {};
  } catch (cause) {
    throw badConfig(path, `it refers to itself: ${messageOf(cause).split('\n')[0]}`, cause);
  }
}
