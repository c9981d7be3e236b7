import type { Answer, CallBlock, TextBlock, ThinkingBlock } from '../answer.ts';
import { type Fields, fields, list, string } from '../fields.ts';
import { type ReasoningList, separator, signatureOf } from './reasoning.ts';
import { isWrapper, unwrap } from './wrapper.ts';

type MessageItem = { type: 'message'; block: TextBlock };
/** Its texts by list and index, such as `summary 0`; the first block stands from the start, to keep its place. */
type ReasoningItem = { type: 'reasoning'; first: ThinkingBlock; blocks: Map<string, ThinkingBlock>; isAlone: boolean };
type CallItem = { type: 'call'; block: CallBlock };
/** Calls that come as the arguments of one: they are shown when it is whole. */
type WrapperItem = { type: 'wrapper'; tool: string; text: string; isOpen: boolean };
/** What Pawl did not ask for: tools that the provider runs itself, and kinds that are newer than this. */
type OtherItem = { type: 'other' };
type Item = MessageItem | ReasoningItem | CallItem | WrapperItem | OtherItem;

/** What the provider calls an item: its index, or its id where a server sends no index. */
export type ItemKey = number | string;

/** The items of one answer as they come: begun, grown and done, in any order and with any of that missing. */
export type Items = {
  count(): number;
  start(key: ItemKey, item: Fields): void;
  addText(key: ItemKey, text: string): void;
  addThinking(key: ItemKey, kind: ReasoningList, index: number, text: string): void;
  addInput(key: ItemKey, text: string): void;
  /** The arguments of a call are whole. */
  closeInput(key: ItemKey, whole: string): void;
  /** The item as a whole: what was not streamed of it is added now. */
  done(key: ItemKey, item: Fields): void;
  /** No more comes. */
  finish(): void;
};

/** @param offered Names of the tools that the model may call. */
export function createItems(answer: Answer, offered: ReadonlySet<string>): Items {
  const items = new Map<ItemKey, Item>();
  let last: Item | null = null;

  function put<Kind extends Item>(key: ItemKey, item: Kind): Kind {
    // The API takes reasoning back only before what it led to; if that is passed over, so is the reasoning.
    if (item.type === 'other' && last?.type === 'reasoning') {
      last.isAlone = true;
      unsign(last);
    }
    items.set(key, item);
    last = item;
    return item;
  }
  const openMessage = (key: ItemKey) => put(key, { type: 'message', block: answer.openText() });
  const openReasoning = (key: ItemKey) =>
    put(key, { type: 'reasoning', first: answer.openThinking(), blocks: new Map(), isAlone: false });

  function start(key: ItemKey, item: Fields): void {
    if (items.has(key)) return;
    switch (item.type) {
      case 'message':
        openMessage(key).block.signature = string(item.phase);
        return;
      case 'reasoning':
        openReasoning(key);
        return;
      case 'function_call': {
        const tool = string(item.name);
        if (isWrapper(tool, offered)) put(key, { type: 'wrapper', tool, text: '', isOpen: true });
        else put(key, { type: 'call', block: answer.openCall(tool) });
        return;
      }
      default:
        put(key, { type: 'other' });
    }
  }

  function thinkingBlock(item: ReasoningItem, kind: ReasoningList, index: number): ThinkingBlock {
    const name = `${kind} ${index}`;
    let block = item.blocks.get(name);
    if (block === undefined) {
      block = item.blocks.size === 0 ? item.first : answer.openThinking();
      if (block !== item.first) answer.addThinking(block, separator);
      item.blocks.set(name, block);
    }
    return block;
  }

  function doneReasoning(item: ReasoningItem, whole: Fields): void {
    for (const kind of ['summary', 'content'] as const) {
      list(whole[kind]).forEach((part, index) => {
        const block = thinkingBlock(item, kind, index);
        const text = (block === item.first ? '' : separator) + string(fields(part).text);
        answer.addThinking(block, rest(block.text, text));
      });
    }
    if (item.isAlone) return;
    const id = string(whole.id);
    const end = [...item.blocks.values()].at(-1) ?? item.first;
    end.opaque = string(whole.encrypted_content);
    if (id === '' || (item.blocks.size === 0 && end.opaque === '')) return;
    if (item.blocks.size === 0) end.signature = signatureOf(id, 'summary');
    for (const [name, block] of item.blocks) {
      block.signature = signatureOf(id, name.startsWith('content') ? 'content' : 'summary');
    }
  }

  function closeCall({ block }: CallItem, whole: string): void {
    const more = rest(block.text, whole);
    answer.addInput(block, more);
    // The end says otherwise than the deltas did: it counts, unless the call was already said to be whole.
    if (more === '' && whole !== '' && block.input === null) block.text = whole;
    answer.closeCall(block);
  }

  function closeWrapper(item: WrapperItem, whole: string): void {
    if (!item.isOpen) return;
    item.isOpen = false;
    const text = whole === '' ? item.text : whole;
    for (const { tool, text: input } of callsIn(item.tool, text)) {
      const block = answer.openCall(tool);
      answer.addInput(block, input);
      answer.closeCall(block);
    }
  }

  function closeInput(key: ItemKey, whole: string): void {
    const item = items.get(key);
    if (item?.type === 'call') closeCall(item, whole);
    else if (item?.type === 'wrapper') closeWrapper(item, whole);
  }

  return {
    count: () => items.size,
    start,
    addText(key, text) {
      const item = items.get(key) ?? openMessage(key);
      if (item.type === 'message') answer.addText(item.block, text);
    },
    addThinking(key, kind, index, text) {
      const item = items.get(key) ?? openReasoning(key);
      if (item.type === 'reasoning') answer.addThinking(thinkingBlock(item, kind, index), text);
    },
    addInput(key, text) {
      const item = items.get(key);
      if (item?.type === 'call') answer.addInput(item.block, text);
      else if (item?.type === 'wrapper') item.text += text;
    },
    closeInput,
    done(key, whole) {
      start(key, whole);
      const item = items.get(key);
      switch (item?.type) {
        case 'message':
          if (item.block.signature === '') item.block.signature = string(whole.phase);
          answer.addText(item.block, rest(item.block.text, textOf(whole)));
          return;
        case 'reasoning':
          doneReasoning(item, whole);
          return;
        case 'call':
        case 'wrapper':
          closeInput(key, argumentsOf(whole.arguments));
          return;
      }
    },
    finish() {
      for (const item of items.values()) if (item.type === 'wrapper') closeWrapper(item, '');
    },
  };
}

/** What of the whole was not streamed; nothing where the two do not agree: what was shown stays. */
function rest(streamed: string, whole: string): string {
  return whole.startsWith(streamed) ? whole.slice(streamed.length) : '';
}

function textOf(message: Fields): string {
  return list(message.content)
    .map(fields)
    .map(({ text, refusal }) => string(text) + string(refusal))
    .join('');
}

/** A JSON text, or an object at servers that parse it. */
export function argumentsOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : string(value);
}

/** A wrapper that cannot be read stays the call that it is, and the model is told. */
function callsIn(wrapper: string, text: string): { tool: string; text: string }[] {
  const calls = unwrap(text);
  if (calls === null) return [{ tool: wrapper, text }];
  return calls.map(({ tool, input }) => ({ tool, text: JSON.stringify(input) }));
}

function unsign({ first, blocks }: ReasoningItem): void {
  for (const block of [first, ...blocks.values()]) {
    block.signature = '';
    block.opaque = '';
  }
}
