import type { Parameters } from '../../parameters.ts';

/** What a model of this API takes, as far as its name and address tell. A request that asks for something else is refused. */
export type Traits = {
  /** Whether it is one of OpenAI's own, at OpenAI or Azure, and not one of a compatible server. */
  isOpenai: boolean;
  /** Whether it can think before it answers; null where nobody knows. */
  thinks: boolean | null;
  /** The effort that comes closest to no thinking, where that can be asked for. */
  quietest?: string;
  /**
   * Whether it finds what it kept of a prompt only where marks stand, and takes them: models from 5.6 on.
   * Source: https://developers.openai.com/api/docs/guides/prompt-caching.
   */
  hasMarks: boolean;
};

const openaiHost = /^([\w-]+\.)?api\.openai\.com$/;
/** Names of models are there what their owner calls them. */
const azureHost = /\.(openai|cognitiveservices|services\.ai)\.azure\.com$/;

/** @param knownToThink What the catalogue says, null where it says nothing. */
export function traitsOf(model: string, { hostname }: URL, knownToThink: boolean | null): Traits {
  const name = model.slice(model.lastIndexOf('/') + 1).replace(/^ft:/, '');
  const version = versionOf(name);
  const isAtOpenai = openaiHost.test(hostname);
  const isOpenai = isAtOpenai || azureHost.test(hostname);
  const thinks = knownToThink ?? (isOpenai ? thinksByName(name, version) : null);
  return {
    isOpenai,
    thinks,
    ...(isOpenai && thinks === true && { quietest: quietestOf(version) }),
    hasMarks: isAtOpenai && version !== null && version >= 506,
  };
}

/** `gpt-5.6-sol` is 506; null for other names. */
function versionOf(name: string): number | null {
  const [, major, minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?/i.exec(name) ?? [];
  return major === undefined ? null : Number(major) * 100 + Number(minor);
}

function thinksByName(name: string, version: number | null): boolean | null {
  if (/^o\d/i.test(name)) return true;
  return version === null ? null : version >= 500 && !/^gpt-5-chat/i.test(name);
}

/**
 * Where the catalogue has no words for the model. Source: https://developers.openai.com/api/docs/guides/reasoning, and
 * each model's own page.
 */
function quietestOf(version: number | null): string {
  if (version === null) return 'low';
  return version > 500 ? 'none' : 'minimal';
}

/**
 * The effort to ask for, or undefined for the model's own. The API counts no tokens: only none of them has a word. What
 * OpenAI's other models do not have is not asked of them.
 */
export function effortOf({ isOpenai, thinks, quietest }: Traits, parameters: Parameters): string | undefined {
  if (isOpenai && thinks === false) return undefined;
  return parameters.effort ?? (parameters.thinkingBudgetTokens === 0 ? quietest : undefined);
}

/** Temperature and top-p: OpenAI's models take them only while they do not think. */
export function takesSampling({ isOpenai, thinks }: Traits, effort: string | undefined): boolean {
  return !isOpenai || thinks !== true || effort === 'none';
}
