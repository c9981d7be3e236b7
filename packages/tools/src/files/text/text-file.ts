import { PawlError } from '@pawl/protocol';
import type { Place } from '../../paths.ts';
import { type DecodedText, decodeText, encodeText, isBinary } from '../encodings.ts';
import { type FileBytes, readFileBytes } from '../regular-file.ts';

export type TextFile = { file: FileBytes; decoded: DecodedText };

/**
 * A file as text that can be put back byte for byte; null if there is none.
 * @throws `not_text`, and what `readFileBytes` does.
 */
export async function readTextFile(place: Place, maxBytes: number): Promise<TextFile | null> {
  const file = await readFileBytes(place, maxBytes);
  if (file === null) return null;
  const decoded = isBinary(file.bytes) ? null : decodeText(file.bytes);
  if (decoded === null || !encodeText(decoded).equals(file.bytes)) {
    throw new PawlError(
      'not_text',
      `${place.shown} is binary or in an unknown encoding; editing it as text would damage it. Nothing was changed.`,
    );
  }
  return { file, decoded };
}
