import type { ModelEvent } from '@pawl/engine';

/** The events of `first`; or, if it is refused for this cause, those of `second`. A refusal comes before all content. */
export function orElse(
  first: AsyncIterable<ModelEvent>,
  isCause: (error: unknown) => boolean,
  second: () => AsyncIterable<ModelEvent>,
): AsyncIterableIterator<ModelEvent> {
  let current = first[Symbol.asyncIterator]();
  /** Whether what comes now comes in any case: from then on an event costs no promise more. */
  let isSettled = false;
  return {
    next() {
      if (isSettled) return current.next();
      return current.next().then(
        (result) => {
          isSettled = result.done === true || (result.value.type !== 'activity' && result.value.type !== 'notice');
          return result;
        },
        (error: unknown) => {
          if (!isCause(error)) throw error;
          isSettled = true;
          current = second()[Symbol.asyncIterator]();
          return current.next();
        },
      );
    },
    async return() {
      await current.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
