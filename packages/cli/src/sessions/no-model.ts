import type { Model } from '@pawl/engine';

/** For commands that handle a session without letting it go on. */
export const noModel: Model = {
  id: 'none',
  info: { contextTokens: 1, outputTokens: 1, isPriceKnown: false },
  stream() {
    throw new Error('A session that is only looked after calls no model.');
  },
};
