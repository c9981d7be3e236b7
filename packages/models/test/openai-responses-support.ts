import { type Outcome, readText, sse } from './streams.ts';

/** Events of the Responses API, as tests write them. */
export type Event = { type?: string; [key: string]: unknown };

export const created: Event = { type: 'response.created', response: { id: 'resp_1' } };

export function read(events: readonly Event[]): Outcome {
  return readText('openai-responses', sse(events.map((event) => JSON.stringify(event))));
}
export function added(output_index: number, item: object): Event {
  return { type: 'response.output_item.added', output_index, item };
}
export function done(output_index: number, item: object): Event {
  return { type: 'response.output_item.done', output_index, item };
}
export function delta(output_index: number, text: string, kind = 'output_text', more = {}): Event {
  return { type: `response.${kind}.delta`, output_index, delta: text, ...more };
}
export function completed(response: object = {}): Event {
  return { type: 'response.completed', response };
}
export function incomplete(reason?: string): Event {
  return { type: 'response.incomplete', response: { incomplete_details: reason === undefined ? null : { reason } } };
}
export const message = (text: string) => ({ type: 'message', content: [{ type: 'output_text', text }] });
export const calling = (name: string, input = '') => ({ type: 'function_call', name, arguments: input });
