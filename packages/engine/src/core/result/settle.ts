/** Asks once more for an answer that does not satisfy the schema, with a message in the history that everybody sees. */
import type { EventBody } from '@pawl/protocol';
import type { State, Turn } from '../state.ts';

/** A longer schema is not repeated, since every request carries it. In characters. */
const longestSchema = 4000;

export function askAgainForResult(_: State, turn: Turn): EventBody[] | null {
  if (turn.correction === null) return null;
  const schema = JSON.stringify(turn.options.outputSchema);
  const repeated = schema.length > longestSchema ? '' : `\n${schema}`;
  const text = `${turn.correction}\nAnswer again, with JSON and nothing else, that satisfies the schema.${repeated}`;
  const content = [{ type: 'text' as const, text }];
  return [{ type: 'message.added', data: { message: { role: 'user', content, source: 'engine' } } }];
}
