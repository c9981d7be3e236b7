import type { Origin } from '@pawl/protocol';
import type { Settings } from '../state.ts';

/** The origin and the metadata of a session, for events, tools and views; nothing where none was given. */
export function originOf({ origin, metadata }: Settings): { origin?: Origin; metadata?: Record<string, string> } {
  return {
    ...(origin !== undefined && { origin }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
