import type { ModelEvent, ModelMessage, ModelPart } from '@pawl/engine';
import type { JsonObject, StopReason, Usage } from '@pawl/protocol';

/** A signature is the provider's own, '' where it gave none. */
export type TextBlock = { type: 'text'; text: string; signature: string };
export type ThinkingBlock = { type: 'thinking'; text: string; signature: string; opaque: string };
export type CallBlock = {
  type: 'call';
  call: number;
  tool: string;
  text: string;
  input: JsonObject | null;
  signature: string;
};
export type Block = TextBlock | ThinkingBlock | CallBlock;

/** One answer as it grows, the same for every wire: deltas go out as they come in, the whole stands at the end. */
export type Answer = {
  openText(): TextBlock;
  openThinking(): ThinkingBlock;
  openCall(tool: string): CallBlock;
  addText(block: TextBlock, text: string): void;
  addThinking(block: ThinkingBlock, text: string): void;
  addInput(block: CallBlock, text: string): void;
  /** No more of this call's input comes. Announces it if it is whole and valid. */
  closeCall(block: CallBlock): void;
  /** Nothing is written yet, or a thought came last: what comes next may take as long as thinking does. */
  isThinking(): boolean;
  /** The provider began anew: what was streamed is void. */
  restart(): void;
  finish(stopReason: StopReason, usage: Usage, costUsd: number | null): ModelMessage;
};

export function createAnswer(emit: (event: ModelEvent) => void): Answer {
  let blocks: Block[] = [];
  let calls = 0;
  let hasStreamed = false;

  function open<Kind extends Block>(block: Kind): Kind {
    blocks.push(block);
    return block;
  }
  function announce(block: CallBlock): void {
    if (block.input !== null) return;
    const input = parseInput(block.text);
    if (input === null) return;
    block.input = input;
    emit({ type: 'input_complete', call: block.call, tool: block.tool, input });
  }

  return {
    openText: () => open({ type: 'text', text: '', signature: '' }),
    openThinking: () => open({ type: 'thinking', text: '', signature: '', opaque: '' }),
    openCall: (tool) => open({ type: 'call', call: ++calls, tool, text: '', input: null, signature: '' }),
    addText(block, text) {
      if (text === '') return;
      block.text += text;
      hasStreamed = true;
      emit({ type: 'text', text });
    },
    addThinking(block, text) {
      if (text === '') return;
      block.text += text;
      hasStreamed = true;
      emit({ type: 'thinking', text });
    },
    addInput(block, text) {
      if (text === '') return;
      block.text += text;
      hasStreamed = true;
      emit({ type: 'input', call: block.call, tool: block.tool, text });
    },
    // A call without any input is either one without arguments or one that the output limit cut: the end tells.
    closeCall(block) {
      if (block.text.trim() !== '') announce(block);
    },
    isThinking() {
      const last = blocks.at(-1);
      return last === undefined || last.type === 'thinking';
    },
    restart() {
      if (hasStreamed) emit({ type: 'rollback', reason: 'The provider began its answer anew.' });
      blocks = [];
      calls = 0;
      hasStreamed = false;
    },
    finish(stopReason, usage, costUsd) {
      const cut = stopReason === 'output_limit' ? cutCallOf(blocks) : null;
      if (cut !== null) blocks = blocks.slice(0, -1);
      const content: ModelPart[] = [];
      for (const block of blocks) {
        if (block.type === 'call') {
          if (block.text.trim() === '') block.text = '{}';
          announce(block);
        }
        const part = partOf(block);
        if (part !== null) content.push(part);
      }
      const hasCalls = blocks.some((block) => block.type === 'call');
      // Some servers say "stop" and call, or say "tool calls" and do not.
      const reason =
        stopReason === 'end' || stopReason === 'tool_calls' ? (hasCalls ? 'tool_calls' : 'end') : stopReason;
      return { content, stopReason: reason, usage, costUsd, ...(cut === null ? {} : { cutCall: cut.tool }) };
    },
  };
}

/** A call's input if `text` is a whole JSON object, else null. */
function parseInput(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** The call that the output limit cut, which can only be what was being written: the last block. */
function cutCallOf(blocks: readonly Block[]): CallBlock | null {
  const last = blocks.at(-1);
  return last?.type === 'call' && last.input === null && parseInput(last.text) === null ? last : null;
}

function partOf(block: Block): ModelPart | null {
  switch (block.type) {
    case 'text':
      return block.text === '' ? null : { type: 'text', text: block.text, ...signed(block) };
    case 'thinking': {
      const { text, signature, opaque } = block;
      if (text === '' && signature === '' && opaque === '') return null;
      return { type: 'thinking', text, ...signed(block), ...(opaque === '' ? {} : { opaque }) };
    }
    case 'call':
      return block.input === null
        ? { type: 'tool_call', tool: block.tool, input: {}, malformed: block.text, ...signed(block) }
        : { type: 'tool_call', tool: block.tool, input: block.input, ...signed(block) };
    default:
      return block satisfies never;
  }
}

function signed({ signature }: { signature: string }): { signature?: string } {
  return signature === '' ? {} : { signature };
}
