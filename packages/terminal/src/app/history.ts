/** A session from before, as far as it is shown when it is gone on with. */
import type { DurableEvent } from '@pawl/protocol';
import { lineOf } from '../model/change.ts';
import { fold, foldAsked } from '../model/fold.ts';
import type { Model } from '../model/model.ts';

/** So many of the last entries are shown; Ctrl-O shows all. */
const mostItems = 60;
/** Older entries are let go of in passing, so that a long log costs no more than a short one for each event. */
const keptInPassing = 400;

export function foldHistory(model: Model, events: readonly DurableEvent[]): Model {
  let next: Model = { ...model, items: [] };
  let dropped = 0;
  for (const event of events) {
    next = foldAsked(fold(next, event, event.at), event, null);
    if (next.items.length <= keptInPassing * 2) continue;
    dropped += next.items.length - keptInPassing;
    next = { ...next, items: next.items.slice(-keptInPassing) };
  }
  const left = dropped + Math.max(0, next.items.length - mostItems);
  const earlier = left > 0 ? [lineOf('earlier', `… ${left} earlier entries; Ctrl-O shows all`, 'quiet')] : [];
  const items = [...model.items, ...earlier, ...next.items.slice(-mostItems)];
  return { ...next, items };
}

/** All of a session's entries, for reading. */
export function wholeHistory(model: Model, events: readonly DurableEvent[]): Model {
  const empty: Model = { ...model, items: [] };
  return events.reduce<Model>((folded, event) => fold(folded, event, event.at), empty);
}
