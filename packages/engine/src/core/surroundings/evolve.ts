/** The surroundings of the work as they were gathered last. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import type { State } from '../state.ts';

export function evolveSurroundings(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'context.gathered':
      gather(state, event.data, `m${event.seq}`);
      break;
    case 'context.compacted':
      // The cached prefix changes anyway, so everything is gathered again.
      state.gathered = null;
      break;
  }
}

/** `message` is the message of the history that holds the context from outside. */
function gather(state: State, data: EventData['context.gathered'], message: string): void {
  const { turn, agent, fragments, changedFiles = [], hydrated = [] } = data;
  state.gathered = { turn, agent };
  state.gatherings += 1;
  if (fragments !== undefined) state.fragments = fragments;
  const sources = new Set(hydrated.map(({ source }) => source));
  state.hydrations = [
    ...state.hydrations.filter(({ source }) => !sources.has(source)),
    ...hydrated.map(({ region, source, text, entries }, part) => ({ region, source, message, part, text, entries })),
  ];
  if (changedFiles.length === 0) return;
  const { reportedVersions } = state.foreignChanges;
  for (const { path, digest } of changedFiles) reportedVersions.set(path, digest);
  const paths = changedFiles.map(({ path }) => path);
  state.foreignChanges = { reportedVersions, paths, turn, step: (state.turn?.step ?? 0) + 1 };
}
