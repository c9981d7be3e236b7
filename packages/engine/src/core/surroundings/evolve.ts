/** What was gathered around the work. */
import type { EventData } from '@pawl/protocol';
import type { State } from '../state.ts';

export function gather(state: State, data: EventData['context.gathered']): void {
  const { turn, agent, fragments, changedFiles = [] } = data;
  state.gathered = { turn, agent };
  state.gatherings += 1;
  if (fragments !== undefined) state.fragments = fragments;
  if (changedFiles.length === 0) return;
  const { told } = state.foreignChanges;
  for (const { path, digest } of changedFiles) told.set(path, digest);
  const paths = changedFiles.map(({ path }) => path);
  state.foreignChanges = { told, paths, turn, step: (state.turn?.step ?? 0) + 1 };
}
