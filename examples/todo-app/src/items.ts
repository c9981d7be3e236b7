import type { Item } from './store.ts';

export function add(items: readonly Item[], text: string): Item[] {
  const id = Math.max(0, ...items.map((item) => item.id)) + 1;
  return [...items, { id, text, isDone: false }];
}

// TODO: refuse an id that does not exist instead of changing nothing
export function finish(items: readonly Item[], id: number): Item[] {
  return items.map((item) => (item.id === id ? { ...item, isDone: true } : item));
}

export function describe({ id, text, isDone }: Item): string {
  return `${isDone ? '[x]' : '[ ]'} ${id}. ${text}`;
}
