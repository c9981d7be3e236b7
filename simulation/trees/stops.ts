/** What is being stopped is stopped by one runner from beginning to end: it brings an outcome, and nothing calls it off. */

import { due } from '@pawl/engine/core';
import type { Runners } from '@pawl/engine/testing';
import { isPawlError } from '@pawl/protocol';
import type { Violate } from '../checks/invariants.ts';

/** Reasons for which an effect is called off because of what the log says, and not because nobody drives the session. */
const reasonsOfTheLog: ReadonlySet<string> = new Set(['cancelled', 'max_duration']);

/** `isClosing`: its machine leaves what is owed to whoever takes the session up next. */
export function watchStops(runners: Runners, isClosing: () => boolean, violate: Violate): Runners {
  return {
    ...runners,
    async task(effect, context) {
      const { signal, state } = context;
      const check = () => {
        if (!isPawlError(signal.reason) || !reasonsOfTheLog.has(signal.reason.code)) return;
        const isOwed = due(state).some((owed) => owed.id === effect.id && 'mode' in owed && owed.mode === 'stop');
        if (isOwed) violate('I33 cancel', `${state.session}: the stop of ${effect.task} is itself stopped.`);
      };
      if (effect.mode !== 'stop') return runners.task(effect, context);
      let hasReported = false;
      const report: typeof context.report = (outcome) => {
        hasReported = true;
        return context.report(outcome);
      };
      signal.addEventListener('abort', check, { once: true });
      await runners.task(effect, { ...context, report });
      signal.removeEventListener('abort', check);
      if (!hasReported && !signal.aborted && !isClosing()) {
        violate('I33 cancel', `${state.session}: the stop of ${effect.task} ends without an outcome.`);
      }
    },
  };
}
