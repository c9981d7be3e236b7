import type { Price } from '../catalogue/table.ts';
import type { Timeouts } from '../http/timeouts.ts';
import type { Parameters } from '../parameters.ts';
import type { Provider } from '../pool/types.ts';
import type { DialectSettings } from '../wires/openai-chat/dialects.ts';
import type { WireName } from './providers.ts';

/** Where a key is: in a variable of the environment, or alone in a file (an absolute path). */
export type KeySource = { env: string } | { file: string };

/** A provider of one's own, or what is to be otherwise at a known one. */
export type ProviderSettings = {
  wire?: WireName;
  baseUrl?: string;
  /** Sent with every request, over the wire's own. */
  headers?: { readonly [name: string]: string };
  keys?: readonly KeySource[];
  timeouts?: Partial<Timeouts>;
  /** How long prompts are cached, where the API lets one choose. */
  cache?: 'off' | '5m' | '1h';
  /** How a server of Chat Completions speaks where its address does not tell. */
  dialect?: DialectSettings;
} & Pick<Provider, 'rotation' | 'order' | 'requestsPerMinute' | 'concurrency' | 'credit'>;

/** What is known better than by the catalogue of one model, and its own variants. Prices are in US dollars a million tokens. */
export type ModelSettings = {
  contextTokens?: number;
  outputTokens?: number;
  takes?: readonly ('image' | 'pdf')[];
  /** The words for how much it thinks that it takes. */
  efforts?: readonly string[];
  /** The same as of its provider, for a model behind a gateway. */
  dialect?: DialectSettings;
  /** One price, or several, each `from` its day on (`2026-12-01`, UTC). */
  prices?: ModelPrices | readonly ModelPrices[];
  variants?: Variants;
};

type ModelPrices = {
  from?: string;
  input: Price;
  output: Price;
  cacheRead?: Price;
  cacheWrite?: Price;
  cacheWriteHour?: Price;
};

export type Variants = { readonly [name: string]: Parameters };

/** Everything that a person can settle about models. */
export type ModelsSettings = {
  providers?: { readonly [name: string]: ProviderSettings };
  /** Chains of `provider/model@variant`: the first is asked, then the next. */
  pools?: { readonly [name: string]: readonly string[] };
  /** For every model; a model's own of the same name adds to it. */
  variants?: Variants;
  /** By `provider/model`. */
  models?: { readonly [id: string]: ModelSettings };
};
