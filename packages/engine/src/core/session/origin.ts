import type { Origin } from '@pawl/protocol';
import type { Settings } from '../state.ts';

/** For whom a session works, for what is shown of it elsewhere; nothing where nobody said. */
export function originOf({ origin, metadata }: Settings): { origin?: Origin; metadata?: Record<string, string> } {
  return {
    ...(origin !== undefined && { origin }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
