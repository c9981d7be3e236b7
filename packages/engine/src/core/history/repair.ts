/**
 * Repairs a history that a provider would refuse, before it is sent: every call has exactly one result, in order, right
 * after it; no result lacks its call; no answer is empty; the task is there. Repairs are an event.
 */
import type { Repair, ToolCallPart, ToolResult } from '@pawl/protocol';
import type { HistoryMessage, State } from '../state.ts';

const lostResult = 'The result of this call was lost. Look at the state of things before trying it again.';

/** Repairs for the messages that were not checked yet. */
export function findRepairs(state: State): Repair[] {
  const { messages } = state;
  const repairs: Repair[] = [];
  for (let index = state.checkedMessages; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.role === 'assistant') {
      const calls = callsOf(message);
      if (calls.length === 0 && isEmpty(message)) {
        repairs.push({ op: 'drop_message', message: message.id, why: 'An answer without text or calls.' });
      }
      const next = messages[index + 1];
      const answered = next?.role === 'tool' ? new Set(next.results.map((result) => result.call)) : new Set<string>();
      for (const call of calls) {
        if (answered.has(call.id)) continue;
        repairs.push({
          op: 'add_result',
          message: message.id,
          call: call.id,
          tool: call.tool,
          why: 'A call without a result.',
        });
      }
    }
    if (message.role === 'tool') repairs.push(...orphans(message, messages[index - 1]));
  }
  if (state.task !== null && !messages.some((message) => message.role === 'user')) {
    repairs.push({ op: 'restore_task', text: state.task, why: 'The history held no input any more.' });
  }
  return repairs;
}

function callsOf(message: HistoryMessage | undefined): ToolCallPart[] {
  return message?.role === 'assistant' ? message.content.filter((part) => part.type === 'tool_call') : [];
}

/** Thinking alone counts as content only if the answer is not partial. */
function isEmpty(message: HistoryMessage & { role: 'assistant' }): boolean {
  return message.content.every(
    (part) => (part.type === 'text' && part.text === '') || (part.type === 'thinking' && message.isPartial === true),
  );
}

function orphans(message: HistoryMessage & { role: 'tool' }, before: HistoryMessage | undefined): Repair[] {
  const asked = new Set(callsOf(before).map((call) => call.id));
  const seen = new Set<string>();
  const repairs: Repair[] = [];
  for (const { call } of message.results) {
    const why = seen.has(call) ? 'A second result of one call.' : 'A result without its call.';
    if (seen.has(call) || !asked.has(call)) repairs.push({ op: 'drop_result', message: message.id, call, why });
    seen.add(call);
  }
  return repairs;
}

/** The history with the repairs made. Messages that need none are the same objects as before. */
export function repairHistory(messages: readonly HistoryMessage[], repairs: readonly Repair[], seq: number) {
  let mended = [...messages];
  for (const repair of repairs) {
    switch (repair.op) {
      case 'drop_message':
        mended = mended.filter((message) => message.id !== repair.message);
        break;
      case 'drop_result':
        mended = mended.flatMap((message) =>
          message.id === repair.message ? withoutResult(message, repair.call) : [message],
        );
        break;
      case 'add_result':
        mended = withResult(mended, repair, seq);
        break;
      case 'restore_task':
        mended.unshift({
          role: 'user',
          id: `m${seq}`,
          source: 'engine',
          content: [{ type: 'text', text: repair.text }],
        });
        break;
      default:
        repair satisfies never;
    }
  }
  return mended;
}

/** Of two results of one call the first is kept; of one without a call, none. */
function withoutResult(message: HistoryMessage, call: string): HistoryMessage[] {
  if (message.role !== 'tool') return [message];
  const first = message.results.findIndex((result) => result.call === call);
  const isDouble = message.results.filter((result) => result.call === call).length > 1;
  const results = message.results.filter((result, index) => result.call !== call || (isDouble && index === first));
  return results.length === 0 ? [] : [{ ...message, results }];
}

function withResult(messages: HistoryMessage[], repair: Repair & { op: 'add_result' }, seq: number): HistoryMessage[] {
  const index = messages.findIndex((message) => message.id === repair.message);
  if (index < 0) return messages;
  const result: ToolResult = { call: repair.call, tool: repair.tool, status: 'unknown', content: lostResult };
  const next = messages[index + 1];
  const results = next?.role === 'tool' ? [...next.results, result] : [result];
  const order = callsOf(messages[index]).map((call) => call.id);
  results.sort((left, right) => order.indexOf(left.call) - order.indexOf(right.call));
  const mended: HistoryMessage = { role: 'tool', id: next?.role === 'tool' ? next.id : `m${seq}`, results };
  return [...messages.slice(0, index + 1), mended, ...messages.slice(next?.role === 'tool' ? index + 2 : index + 1)];
}
