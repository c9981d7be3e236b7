/** How an answer of the model without calls ends its turn. */
import type { AssistantMessage, UserMessage } from '@pawl/protocol';
import type { Turn } from '../state.ts';

/** Null where the answer is to be continued. */
export function endingOf(message: AssistantMessage): Turn['ending'] {
  switch (message.stopReason) {
    case 'end':
    case 'tool_calls':
      return { outcome: 'completed', message: 'The agent finished.' };
    case 'stop_sequence':
      return { outcome: 'completed', message: 'The agent stopped at a stop sequence.' };
    case 'refusal':
      return { outcome: 'blocked', message: 'The model refused to answer.' };
    case 'output_limit':
    case 'pause':
      return null;
    default:
      return message.stopReason satisfies never;
  }
}

/** Whether the agent came to rest: a whole answer without calls that would complete a turn. */
export function isRest(message: AssistantMessage): boolean {
  const hasCalls = message.content.some((part) => part.type === 'tool_call');
  return message.isPartial !== true && !hasCalls && endingOf(message)?.outcome === 'completed';
}

/** Whether the message gives the agent something new to answer: an input, or the end of a task. */
export const isNews = ({ source, task }: UserMessage): boolean => source === 'input' || task !== undefined;
