/** What was gathered around the work. */
import type { EventData } from '@pawl/protocol';
import type { State } from '../state.ts';

export function gather(state: State, { turn, agent, fragments }: EventData['context.gathered']): void {
  state.gathered = { turn, agent };
  state.gatherings += 1;
  if (fragments !== undefined) state.fragments = fragments;
}
