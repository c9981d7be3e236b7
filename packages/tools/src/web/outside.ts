import { untrusted } from '@pawl/protocol';
import { withoutDeceit } from '../escape.ts';

/** A page as a model is shown it. `source` is a URL as the parser writes it. */
export function outsideText(source: string, text: string): string {
  return untrusted('web', source, withoutDeceit(text));
}
