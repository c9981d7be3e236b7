/** What the model says and thinks: as it streams, and as it is once it is whole. */
import type { AssistantMessage, DurableEvent, TransientEvent } from '@pawl/protocol';
import { addItem, changeItem, lineOf } from './change.ts';
import type { AnswerItem, CallItem, Item, ThoughtItem } from './items.ts';
import type { Model } from './model.ts';

type Streamed = Extract<
  TransientEvent,
  {
    type:
      | 'stream.started'
      | 'stream.text'
      | 'stream.thinking'
      | 'stream.input'
      | 'stream.snapshot'
      | 'stream.withdrawn';
  }
>;

export const isStream = (event: TransientEvent): event is Streamed =>
  event.type.startsWith('stream.') && event.type !== 'stream.gap';

export function foldStream(model: Model, event: Streamed, now: number): Model {
  const id = `s${event.after}.${event.n}`;
  switch (event.type) {
    case 'stream.started':
      return withRunning(withdrawn(model, 'it was begun anew', id), event.data.model);
    case 'stream.text':
      return streamText(model, event.data.text, id, now);
    case 'stream.thinking':
      return streamThought(model, event.data.text, id, now);
    case 'stream.input':
      return prepareCall(endThought(model, now), event.data.call, event.data.tool);
    case 'stream.snapshot': {
      const { text, thinking, calls } = event.data;
      let next = withRunning(withoutOpen(model), event.data.model);
      if (thinking !== '') next = streamThought(next, thinking, `${id}t`, now);
      if (text !== '') next = streamText(next, text, id, now);
      for (const { call, tool } of calls) next = prepareCall(next, call, tool);
      return next;
    }
    case 'stream.withdrawn':
      return withdrawn(model, event.data.reason, id);
    default:
      return event satisfies never;
  }
}

/** The answer is whole: what streamed of it is closed, what did not is added, its calls get their cards. */
export function foldAnswer(model: Model, message: AssistantMessage, { seq, at }: DurableEvent): Model {
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const streamed = model.items.filter((item): item is AnswerItem => item.kind === 'answer' && item.isOpen);
  const said = streamed.map((item) => item.text).join('');
  const closed = closeStream(model, at);
  let next = withRunning(closed, message.model);
  if (text.startsWith(said)) {
    const rest = text.slice(said.length);
    const last = streamed.at(-1);
    if (last === undefined) next = addWhole(next, message, seq, at);
    else if (rest !== '')
      next = changeItem(next, last.id, (item) => ({ ...(item as AnswerItem), text: last.text + rest }));
  } else {
    next = addItem(next, lineOf(`e${seq}w`, '↺ What was said before does not count; the answer is:', 'quiet'));
    next = addItem(next, { kind: 'answer', id: `e${seq}`, text, isOpen: false });
  }
  const made = new Set(message.content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])));
  const isStray = (item: Item) => item.kind === 'call' && item.state === 'preparing' && !made.has(item.id);
  next = { ...next, items: next.items.filter((item) => !isStray(item)) };
  for (const part of message.content) {
    if (part.type !== 'tool_call') continue;
    const isShown = next.items.some((item) => item.kind === 'call' && item.id === part.id);
    const fresh = { ...newCall(part.id, part.tool), input: part.input, state: 'waiting' as const };
    next = isShown
      ? changeItem(next, part.id, (item) =>
          item.kind === 'call' ? { ...item, tool: part.tool, input: part.input, state: 'waiting' } : item,
        )
      : addItem(next, fresh);
  }
  return next;
}

/** In the order in which they were said. */
function addWhole(model: Model, { content }: AssistantMessage, seq: number, at: number): Model {
  const hasThought = model.items.some((item) => item.kind === 'thought' && item.endedAt === at);
  let next = model;
  for (const [index, part] of content.entries()) {
    const id = `e${seq}.${index}`;
    if (part.type === 'text' && part.text.trim() !== '') {
      next = addItem(next, { kind: 'answer', id, text: part.text, isOpen: false });
    }
    if (part.type === 'thinking' && part.text.trim() !== '' && !hasThought) {
      next = addItem(next, { kind: 'thought', id, text: part.text, startedAt: at, endedAt: at });
    }
  }
  return next;
}

export const newCall = (id: string, tool: string): CallItem => ({
  kind: 'call',
  id,
  tool,
  input: {},
  state: 'preparing',
  startedAt: null,
  output: '',
  done: null,
  total: null,
  preview: null,
  finished: null,
});

function prepareCall(model: Model, call: string, tool: string): Model {
  const isShown = model.items.some((item) => item.kind === 'call' && item.id === call);
  return isShown ? model : addItem(model, newCall(call, tool));
}

function streamText(model: Model, text: string, id: string, now: number): Model {
  const last = model.items.at(-1);
  if (last?.kind === 'answer' && last.isOpen) {
    return { ...model, items: model.items.with(-1, { ...last, text: last.text + text }) };
  }
  return addItem(endThought(model, now), { kind: 'answer', id, text, isOpen: true });
}

function streamThought(model: Model, text: string, id: string, now: number): Model {
  const last = model.items.at(-1);
  if (last?.kind === 'thought' && last.endedAt === null) {
    return { ...model, items: model.items.with(-1, { ...last, text: last.text + text }) };
  }
  return addItem(model, { kind: 'thought', id, text, startedAt: now, endedAt: null });
}

const isOpenThought = (item: Item): item is ThoughtItem => item.kind === 'thought' && item.endedAt === null;

function endThought(model: Model, now: number): Model {
  if (!model.items.some(isOpenThought)) return model;
  return { ...model, items: model.items.map((item) => (isOpenThought(item) ? { ...item, endedAt: now } : item)) };
}

function closeStream(model: Model, at: number): Model {
  const items = endThought(model, at).items.map((item) =>
    item.kind === 'answer' && item.isOpen ? { ...item, isOpen: false } : item,
  );
  return { ...model, items };
}

/** What was streamed does not count. What of it is frozen already stands, and is said not to count. */
function withdrawn(model: Model, reason: string, id: string): Model {
  const had = model.items.some((item) => item.kind === 'answer' && item.isOpen);
  const without = withoutOpen(model);
  return had ? addItem(without, lineOf(`${id}w`, `↺ Withdrawn: ${reason}`, 'quiet')) : without;
}

function withoutOpen(model: Model): Model {
  const isOpen = (item: Item) =>
    (item.kind === 'answer' && item.isOpen) ||
    isOpenThought(item) ||
    (item.kind === 'call' && item.state === 'preparing');
  return model.items.some(isOpen) ? { ...model, items: model.items.filter((item) => !isOpen(item)) } : model;
}

function withRunning(model: Model, running: string): Model {
  const isOther = model.settings !== null && model.settings.model !== running;
  return { ...model, runningModel: isOther ? running : null };
}
