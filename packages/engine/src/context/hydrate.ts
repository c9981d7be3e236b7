/** Context from outside as the model is shown it: what each source found, within the budget of its region. */
import type { EventData } from '@pawl/protocol';
import { untrusted } from '@pawl/protocol';
import { type State, sliceToBudget, tokensOfText, usableTokens } from '../core/index.ts';
import type { ContextEntry, ContextSource } from '../ports.ts';

export type Hydration = NonNullable<EventData['context.gathered']['hydrated']>[number];
type Found = { source: Pick<ContextSource, 'name' | 'region'>; entries: readonly ContextEntry[] };

/** Share of what is usable of the window that each region may take, and its priority: the lowest goes first. */
const regions = {
  hydrated: { share: 0.1, priority: 1, title: 'Found for this work' },
  entities: { share: 0.1, priority: 2, title: 'Known of what this work is about' },
} as const;
/** Of both together. */
const shareOfAll = 0.15;

export const budgetOf = (state: Readonly<State>, region: ContextSource['region']): number =>
  Math.floor(usableTokens(state.settings.modelInfo) * regions[region].share);

/** What is new: a source that finds what it found last, and that the model still sees, adds nothing. */
export function hydrationOf(state: Readonly<State>, found: readonly Found[]): Hydration[] {
  const usable = usableTokens(state.settings.modelInfo);
  const asRegion = ({ source, entries }: Found) => ({
    name: source.name,
    source,
    priority: regions[source.region].priority,
    entries: entries
      .toSorted((one, other) => (one.priority ?? 0) - (other.priority ?? 0))
      .map(({ id, text, isPreserved = false }) => ({
        text: untrusted(source.region, { source: source.name, id }, text),
        isPreserved,
      })),
  });
  const within = (['hydrated', 'entities'] as const).flatMap((region) => {
    const own = found.filter(({ source }) => source.region === region).map(asRegion);
    return sliceToBudget(own, budgetOf(state, region)).regions;
  });
  const { regions: kept } = sliceToBudget(within, Math.floor(usable * shareOfAll));
  return kept.flatMap(({ source, entries }) => {
    if (entries.length === 0) return [];
    const given = found.find((one) => one.source === source)?.entries.length ?? entries.length;
    const dropped = given - entries.length;
    const note = dropped === 0 ? [] : [`(${dropped} more left out for want of room)`];
    // What matters most stands first.
    const texts = entries.map(({ text }) => text).toReversed();
    const text = [`${regions[source.region].title}, from ${source.name}:`, ...note, ...texts].join('\n');
    const { region, name } = source;
    const isKnown = state.hydrations.some((one) => one.source === name && one.text === text && isSeen(state, one));
    return isKnown
      ? []
      : [{ region, source: name, text, entries: entries.length, dropped, tokens: tokensOfText(text) }];
  });
}

const isSeen = ({ messages }: Readonly<State>, { message }: State['hydrations'][number]): boolean =>
  messages.some(({ id }) => id === message);
