/** Reports what a request consists of, region by region; `pawl context` shows it. */
import type { HistoryMessage, State } from '../core/index.ts';
import { pinsWithinLimit, tokensOfMessage, tokensOfText, usableTokens, windowTokens } from '../core/index.ts';
import type { ModelRequest } from '../ports.ts';

/** In the order of the request. When room is needed, tool results are dropped first, then messages, hydrated context, and entities. */
export type ContextRegion = {
  name:
    | 'system'
    | 'environment'
    | 'instructions'
    | 'memory'
    | 'tools'
    | 'summary'
    | 'hydrated'
    | 'entities'
    | 'messages'
    | 'tool results'
    | 'tail';
  /** An estimate. */
  tokens: number;
  /** Of the window. */
  percent: number;
  /** Entries of it: tools, messages, results. */
  count: number;
};

export type ContextReport = {
  session: string;
  regions: ContextRegion[];
  /** The provider's last count, and an estimate of what was added since; 0 before the first answer. */
  tokens: number;
  /** The sum of the regions. */
  estimatedTokens: number;
  limitTokens: number;
  /** What a request may hold: the window minus the answer and some reserve. */
  usableTokens: number;
  /** Where compaction begins; null where it is off. */
  thresholdTokens: number | null;
  percent: number;
  step: number;
  maxSteps: number;
  messages: number;
  compactions: { applied: number; isUnderWay: boolean; suspendedSteps: number; corrections: number };
  /** Results that were trimmed from what the model sees. */
  trimmed: number;
};

export function contextOf(
  state: Readonly<State>,
  request: Pick<ModelRequest, 'system' | 'tools' | 'tail'>,
): ContextReport {
  const { settings, compactions, compaction, messages, turn } = state;
  const fragments = state.fragments ?? [{ region: 'system', text: request.system }];
  const limitTokens = settings.modelInfo.contextTokens;
  const usable = usableTokens(settings.modelInfo);
  const percentOf = (tokens: number) => Math.round((1000 * tokens) / limitTokens) / 10;
  const region = (name: ContextRegion['name'], sizes: readonly number[]): ContextRegion[] => {
    const tokens = sizes.reduce((sum, size) => sum + size, 0);
    return sizes.length === 0 ? [] : [{ name, tokens, percent: percentOf(tokens), count: sizes.length }];
  };
  const sized = (chosen: (message: HistoryMessage) => boolean) => messages.filter(chosen).map(tokensOfMessage);
  const isSummary = ({ id }: HistoryMessage) => id === compactions.message;
  const texts = (name: ContextRegion['name']) =>
    fragments.filter((fragment) => fragment.region === name).map(({ text }) => tokensOfText(text));
  const isHydrated = ({ id }: HistoryMessage) => state.hydrations.some(({ message }) => message === id);
  const hydrated = (name: 'hydrated' | 'entities') =>
    region(
      name,
      state.hydrations
        .filter((one) => one.region === name && messages.some(({ id }) => id === one.message))
        .map(({ text }) => tokensOfText(text)),
    );
  const regions = [
    ...region('system', texts('system')),
    ...region('environment', texts('environment')),
    ...region('instructions', texts('instructions')),
    ...region('memory', texts('memory')),
    ...region(
      'tools',
      request.tools.map((tool) => tokensOfText(JSON.stringify(tool))),
    ),
    ...region('summary', sized(isSummary)),
    ...hydrated('hydrated'),
    ...hydrated('entities'),
    ...region(
      'messages',
      sized((message) => message.role !== 'tool' && !isSummary(message) && !isHydrated(message)),
    ),
    ...region(
      'tool results',
      sized((message) => message.role === 'tool'),
    ),
    ...region('tail', request.tail === null ? [] : [tokensOfText(request.tail)]),
  ];
  const { isOn, threshold } = settings.compaction;
  const tokens = windowTokens(state);
  return {
    session: state.session,
    regions,
    tokens,
    estimatedTokens: regions.reduce((sum, one) => sum + one.tokens, 0),
    limitTokens,
    usableTokens: usable,
    thresholdTokens: isOn ? Math.floor(threshold * usable) : null,
    percent: percentOf(tokens),
    step: turn?.step ?? 0,
    maxSteps: settings.limits.steps,
    messages: messages.length,
    compactions: {
      applied: compactions.applied,
      isUnderWay: compaction !== null,
      suspendedSteps: compactions.suspendedSteps,
      corrections: pinsWithinLimit(state.pins).filter(({ isCorrection }) => isCorrection).length,
    },
    trimmed: state.trimmed,
  };
}
