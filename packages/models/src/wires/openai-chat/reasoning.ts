import { type Fields, fields, list, string } from '../fields.ts';

/**
 * Where servers put a model's reasoning. A thinking part's signature names the field it came in, and it goes back in
 * the same one.
 */
export const reasoningFields: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning', 'reasoning_text']);
/** Reasoning as objects, signed or sealed, that go back as they came; they stand in the part's `opaque`. */
export const detailsField = 'reasoning_details';
/** Reasoning that stood among the parts of the content. */
export const contentField = 'content';

/** What the pieces of a detail have as they come, which the whole has as well. */
const grown = ['text', 'summary', 'data'] as const;

/**
 * Reasoning details, put together from the pieces of a stream: neighbours of one kind and index are one.
 * Source: https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning.
 */
export function createDetails(): { add(pieces: unknown): void; all(): readonly object[] } {
  const details: Fields[] = [];
  return {
    add(pieces) {
      for (const piece of list(pieces).map(fields)) {
        const last = details.at(-1);
        if (last === undefined || last.type !== piece.type || last.index !== piece.index || isWhole(last, piece)) {
          details.push({ ...piece });
          continue;
        }
        for (const [key, value] of Object.entries(piece)) {
          if (value === null || value === undefined) continue;
          const isGrown = grown.some((name) => name === key);
          last[key] = isGrown ? string(last[key]) + string(value) : value;
        }
      }
    },
    all: () => details,
  };
}

/** Whether `next` is another detail, though it has no index that says so. */
function isWhole(last: Fields, next: Fields): boolean {
  return string(last.id) !== '' && string(next.id) !== '' && last.id !== next.id;
}

/** What a piece of a detail says to a person. */
export function textOfDetails(pieces: unknown): string {
  return list(pieces)
    .map((piece) => string(fields(piece).text) || string(fields(piece).summary))
    .join('');
}
