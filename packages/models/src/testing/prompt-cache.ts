import { createHash } from 'node:crypto';
import { PawlError, type Usage } from '@pawl/protocol';
import { fields, list, string } from '../wires/fields.ts';

/** What one request read from the cache and wrote to it. */
export type CacheUse = {
  usage: Pick<Usage, 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'cacheWriteHourTokens'>;
  /** What it could have read: the longest beginning that it has in common with a request of the last hour. */
  readableTokens: number;
};

export type PromptCache = {
  /** Takes in the body of a Messages request. @throws `bad_request` as the API refuses it. */
  use(body: { readonly [key: string]: unknown }): CacheUse;
};

/** A block of the prompt and what stands before it, as the provider compares them. */
type Block = { prefix: string; tokens: number; mark: 'short' | 'hour' | null };
type Entry = { until: number; lifetimeMs: number };

const maxMarks = 4;
/** Places that a mark looks at, its own among them. */
const lookBack = 20;
const shortMs = 5 * 60_000;
const hourMs = 60 * 60_000;

/**
 * The prompt cache of the Messages API, by its published rules. A mark writes one entry, for the prompt up to its end,
 * and reads the longest entry at its own place or one of the 19 blocks before; a request has at most four marks; an
 * entry lives five minutes or an hour after it was last used; a prompt below the model's minimum is not kept.
 * Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching. A token is taken to be four characters.
 */
export function promptCache(options: { minimumTokens?: number; now?: () => number } = {}): PromptCache {
  const { minimumTokens, now = Date.now } = options;
  const entries = new Map<string, Entry>();
  /** When each beginning was last seen, marked or not. */
  const seen = new Map<string, number>();

  function isAlive(prefix: string): boolean {
    const entry = entries.get(prefix);
    return entry !== undefined && entry.until >= now();
  }

  /** Place of the longest entry that the marks find; -1 if they find none. */
  function find(blocks: readonly Block[]): number {
    for (let place = blocks.length - 1; place >= 0; place--) {
      if (blocks[place]?.mark === null) continue;
      for (let back = place; back > place - lookBack && back >= 0; back--) {
        if (isAlive(blocks[back]?.prefix ?? '')) return back;
      }
    }
    return -1;
  }

  return {
    use(body) {
      const blocks = blocksOf(body);
      check(blocks);
      const minimum = minimumTokens ?? minimumCacheTokens(string(body.model));
      const found = find(blocks);
      const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWriteHourTokens: 0 };
      const lastHour = blocks.findLastIndex(({ mark }) => mark === 'hour');
      const last = blocks.findLastIndex(({ mark }) => mark !== null);
      const total = blocks.reduce((sum, { tokens }, place) => (place <= last ? sum + tokens : sum), 0);
      const isKept = total >= minimum;
      let readable = 0;
      let length = 0;
      for (const [place, block] of blocks.entries()) {
        length += block.tokens;
        if ((seen.get(block.prefix) ?? Number.NEGATIVE_INFINITY) >= now() - hourMs && length >= minimum)
          readable = length;
        if (place <= found) usage.cacheReadTokens += block.tokens;
        else if (place > last || !isKept) usage.inputTokens += block.tokens;
        else if (place <= lastHour) usage.cacheWriteHourTokens += block.tokens;
        else usage.cacheWriteTokens += block.tokens;
        const isUsed = place === found || (block.mark !== null && length >= minimum);
        if (isUsed) keep(block);
      }
      for (const { prefix } of blocks) seen.set(prefix, now());
      return { usage, readableTokens: readable };
    },
  };

  function keep({ prefix, mark }: Block): void {
    const known = isAlive(prefix) ? entries.get(prefix) : undefined;
    const lifetimeMs = Math.max(known?.lifetimeMs ?? 0, mark === 'hour' ? hourMs : mark === 'short' ? shortMs : 0);
    entries.set(prefix, { lifetimeMs, until: now() + lifetimeMs });
  }
}

/** Least tokens of a prompt that is kept, by model. */
function minimumCacheTokens(model: string): number {
  if (/opus-4-[56]|haiku-4-5/.test(model)) return 4096;
  if (/opus-4-7|3-5-haiku/.test(model)) return 2048;
  return /(opus|haiku|sonnet)-5-5|opus-5|fable-5|mythos-5/.test(model) ? 512 : 1024;
}

/** Tools, system and messages in the order of the prompt. What is before the messages does not depend on how to answer. */
function blocksOf(body: { readonly [key: string]: unknown }): Block[] {
  let prefix = hash('', string(body.model));
  const blocks: Block[] = [];
  function add(block: unknown, role: string): void {
    const { cache_control: control, ...rest } = fields(block);
    const json = JSON.stringify(rest);
    prefix = hash(prefix, role, json);
    blocks.push({ prefix, tokens: Math.ceil(json.length / 4), mark: markOf(control, rest) });
  }
  for (const tool of list(body.tools)) add(tool, 'tool');
  for (const block of contentOf(body.system)) add(block, 'system');
  prefix = hash(prefix, JSON.stringify([body.thinking, body.tool_choice, body.output_config]));
  for (const [index, message] of list(body.messages).map(fields).entries()) {
    for (const block of contentOf(message.content)) add(block, `${index} ${string(message.role)}`);
  }
  const automatic = markOf(body.cache_control, {});
  const last = blocks.at(-1);
  if (automatic !== null && last !== undefined) last.mark ??= automatic;
  return blocks;
}

function contentOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
}

function markOf(control: unknown, block: { [key: string]: unknown }): Block['mark'] {
  if (control === undefined || control === null) return null;
  if (block.type === 'thinking' || block.type === 'redacted_thinking') throw refused('thinking takes no cache_control');
  if (block.type === 'text' && block.text === '') throw refused('cache_control cannot be set for empty text blocks');
  return fields(control).ttl === '1h' ? 'hour' : 'short';
}

function check(blocks: readonly Block[]): void {
  const marks = blocks.flatMap(({ mark }) => (mark === null ? [] : [mark]));
  if (marks.length > maxMarks) {
    throw refused(`A maximum of ${maxMarks} blocks with cache_control may be provided. Found ${marks.length}.`);
  }
  if (marks.indexOf('short') !== -1 && marks.lastIndexOf('hour') > marks.indexOf('short')) {
    throw refused('a ttl of 1h must not come after a ttl of 5m');
  }
}

function refused(message: string): PawlError {
  return new PawlError('bad_request', message);
}

function hash(...parts: readonly string[]): string {
  return createHash('sha1').update(parts.join('\n')).digest('base64');
}
