import type { Fields } from '../fields.ts';

/** As the API writes a piece of text in which nothing is escaped. */
const plainDelta =
  /^\{"type":"content_block_delta","index":(0|[1-9]\d{0,3}),"delta":\{"type":"text_delta","text":("[^"\\]*")\} *\}$/;

/**
 * The event that an answer mostly consists of, at a third of what parsing it whole costs, which is most of what reading
 * an answer does. Null for every other event and for text that is no JSON: those are to be parsed.
 */
export function readPlainDelta(data: string): { index: number; delta: Fields } | null {
  const match = plainDelta.exec(data);
  if (match === null) return null;
  try {
    return { index: Number(match[1]), delta: { type: 'text_delta', text: JSON.parse(match[2] ?? '') } };
  } catch {
    return null;
  }
}
