/** Small changes of the list of items. */
import type { Item, LineItem, Tone } from './items.ts';
import type { Model } from './model.ts';

export const addItem = (model: Model, item: Item): Model => ({ ...model, items: [...model.items, item] });

export const lineOf = (id: string, text: string, tone: Tone): LineItem => ({ kind: 'line', id, text, tone });

/** A line that the terminal itself says. */
export function say(model: Model, text: string, tone: Tone = 'plain'): Model {
  return addItem(model, lineOf('said by the terminal', text, tone));
}

/** Changes the newest item of that id, if it is still there. */
export function changeItem(model: Model, id: string, change: (item: Item) => Item): Model {
  const at = model.items.findLastIndex((item) => item.id === id);
  const item = model.items[at];
  return item === undefined ? model : { ...model, items: model.items.with(at, change(item)) };
}

/** The turn is over: nothing that is still open will come to an end of its own. */
export function settled(model: Model, at: number): Model {
  const items = model.items.flatMap((item): Item[] => {
    switch (item.kind) {
      case 'thought':
        return [{ ...item, endedAt: item.endedAt ?? at }];
      case 'answer':
        return [{ ...item, isOpen: false }];
      case 'call':
        return item.state === 'preparing' ? [] : [{ ...item, state: 'over' }];
      default:
        return [item];
    }
  });
  return { ...model, items };
}

/** Leaves out the first items, which are frozen on the screen. */
export const withoutFirst = (model: Model, count: number): Model =>
  count === 0 ? model : { ...model, items: model.items.slice(count) };
