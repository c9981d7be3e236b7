import type { AssistantMessage } from '@pawl/protocol';

/** What a turn's agent said last, and whether more of it is to come. */
export type LastAnswer = { text: string; isOpen: boolean };

export const noAnswer: LastAnswer = { text: '', isOpen: false };

/** The answer with one more message: what was cut, and is gone on with, is one text. */
export function followAnswer(before: LastAnswer, { content, stopReason }: AssistantMessage): LastAnswer {
  const own = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const hasCalls = content.some((part) => part.type === 'tool_call');
  const isOpen = !hasCalls && (stopReason === 'output_limit' || stopReason === 'pause');
  return { text: before.isOpen ? before.text + own : own, isOpen };
}
