/** What was gathered around the work. */
import type { EventData } from '@pawl/protocol';
import type { State } from '../state.ts';

export function gather(state: State, data: EventData['context.gathered'], seq: number): void {
  const { turn, agent, fragments, changedFiles = [], hydrated = [] } = data;
  state.gathered = { turn, agent };
  state.gatherings += 1;
  if (fragments !== undefined) state.fragments = fragments;
  if (hydrated.length > 0) hydrate(state, hydrated, `m${seq}`);
  if (changedFiles.length === 0) return;
  const { told } = state.foreignChanges;
  for (const { path, digest } of changedFiles) told.set(path, digest);
  const paths = changedFiles.map(({ path }) => path);
  state.foreignChanges = { told, paths, turn, step: (state.turn?.step ?? 0) + 1 };
}

/** After what was said, so that what a provider has cached stays as it is. */
function hydrate(
  state: State,
  hydrated: NonNullable<EventData['context.gathered']['hydrated']>,
  message: string,
): void {
  const content = hydrated.map(({ text }) => ({ type: 'text' as const, text }));
  state.messages.push({ role: 'user', source: 'context', id: message, content });
  for (const { text } of hydrated) state.window.charactersSince += text.length;
  const sources = new Set(hydrated.map(({ source }) => source));
  state.hydrations = [
    ...state.hydrations.filter(({ source }) => !sources.has(source)),
    ...hydrated.map(({ region, source, text, entries }, part) => ({ region, source, message, part, text, entries })),
  ];
}
