import type { Message } from '@pawl/protocol';
import { withoutVariant } from '../select/names.ts';

/** The text of a message, and the state that the next message needs. */
export type Appended<State> = { text: string; state: State };
/** The bytes of a conversation so far. They are never written over, but more may be added after them. */
export type Transcript<State> = { bytes: Buffer; state: State };

/** Where a message stands. */
export type MessagePosition = {
  /** Among the messages of the conversation. */
  index: number;
  /** Bytes before it. */
  offset: number;
  /** Whether its signatures are still valid. */
  isSigned: boolean;
};

type KeptTranscript<State> = { messages: Message[]; signedFrom: number; buffer: Buffer; length: number; state: State };

/**
 * Keeps the bytes of each conversation and adds to them what is new, so that a step costs what the step added, not
 * what the conversation holds. It leans on what `ModelRequest` promises: messages are only added, never changed.
 * A conversation that is not the continuation of what was kept (it was compacted, say) is written anew, and so is one
 * whose signatures hold from another message on.
 */
export function createTranscripts<State>(
  start: State,
  append: (message: Message, state: State, place: MessagePosition) => Appended<State>,
): (messages: readonly Message[], signedFrom?: number) => Transcript<State> {
  /** By the first message, which no two conversations share. */
  const conversations = new WeakMap<Message, KeptTranscript<State>>();

  return (messages, signedFrom = 0) => {
    const [first] = messages;
    if (first === undefined) return { bytes: Buffer.alloc(0), state: start };
    let kept = conversations.get(first);
    if (kept === undefined || kept.signedFrom !== signedFrom || !continues(messages, kept.messages)) {
      kept = { messages: [], signedFrom, buffer: Buffer.allocUnsafe(16_384), length: 0, state: start };
      conversations.set(first, kept);
    }
    for (const message of messages.slice(kept.messages.length)) {
      const index = kept.messages.length;
      const { text, state } = append(message, kept.state, {
        index,
        offset: kept.length,
        isSigned: index >= signedFrom,
      });
      write(kept, text);
      kept.state = state;
      kept.messages.push(message);
    }
    return { bytes: kept.buffer.subarray(0, kept.length), state: kept.state };
  };
}

function continues(messages: readonly Message[], before: readonly Message[]): boolean {
  return before.length <= messages.length && before.every((message, index) => message === messages[index]);
}

/** The buffer doubles when it is full; a request under way keeps the old one. */
function write(kept: { buffer: Buffer; length: number }, text: string): void {
  const needed = kept.length + Buffer.byteLength(text);
  if (needed > kept.buffer.length) {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, kept.buffer.length * 2));
    kept.buffer.copy(larger, 0, 0, kept.length);
    kept.buffer = larger;
  }
  kept.length += kept.buffer.write(text, kept.length);
}

/** Whether the model of this id wrote the message, and a provider still takes what it signed in it. A variant is the same model. */
export function isSignedBy(message: Message, id: string, place: MessagePosition): boolean {
  return message.role === 'assistant' && place.isSigned && withoutVariant(message.model) === withoutVariant(id);
}
