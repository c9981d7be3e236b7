/** What is being stopped is stopped by one runner from beginning to end: nothing calls it off while it is still owed. */

import { due } from '@pawl/engine/core';
import type { Runners } from '@pawl/engine/testing';
import { isPawlError } from '@pawl/protocol';
import type { Violate } from '../invariants.ts';

/** Reasons for which an effect is called off because of what the log says, and not because nobody drives the session. */
const reasonsOfTheLog: ReadonlySet<string> = new Set(['cancelled', 'max_duration', 'not_owed']);

export function watchStops(runners: Runners, violate: Violate): Runners {
  return {
    ...runners,
    async task(effect, context) {
      const { signal, state } = context;
      const check = () => {
        if (!isPawlError(signal.reason) || !reasonsOfTheLog.has(signal.reason.code)) return;
        const isOwed = due(state).some((owed) => owed.id === effect.id && 'mode' in owed && owed.mode === 'stop');
        if (isOwed) violate('I33 cancel', `${state.session}: the stop of ${effect.task} is itself stopped.`);
      };
      if (effect.mode === 'stop') signal.addEventListener('abort', check, { once: true });
      try {
        await runners.task(effect, context);
      } finally {
        signal.removeEventListener('abort', check);
      }
    },
  };
}
