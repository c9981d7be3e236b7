import { PawlError } from '@pawl/protocol';
import { escapeName } from '../../escape.ts';

/** `line` counts from 0. */
export function badPatch(line: number, text: string | undefined, what: string): PawlError {
  const shown = text === undefined ? 'is missing' : `is "${escapeName(text.slice(0, 120))}"`;
  return new PawlError('bad_patch', `Line ${line + 1} of the patch ${shown}: ${what} Nothing was changed.`);
}
