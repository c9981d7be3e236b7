import type { RuleSet } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { pastedTools } from './tool-names.ts';
import { matchesText } from './wildcard.ts';

/** One rule, as `tool` or `tool(pattern)`. Without a pattern it covers every call of the tool. */
export type Rule = {
  /** A tool's name, the beginning of one and `*`, or `*` alone. */
  tool: string;
  pattern: string | null;
  /** As it was written; a rule in another program's words in ours. */
  text: string;
};

const toolName = /^(?:\*|[A-Za-z_][A-Za-z0-9_.:/-]*\*?)$/;

/**
 * In the place of a tool's name: all that is known to only read, where nothing contains it. Allowed, it lets that run
 * without a question on a machine that has no sandbox.
 */
export const uncontainedReading = 'uncontained_reading';

const mostKept = 4096;
const kept = new Map<string, Rule>();

/**
 * Also reads rules in the widely used forms `Bash(npm run test:*)`, `Edit(/src/**)`, `WebFetch(domain:example.com)` and
 * `mcp__server`, with the meaning they have there.
 * @throws `bad_rule`, saying what is wrong with the text.
 */
export function parseRule(text: string): Rule {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const rule = inOurWords(readRule(text));
  if (kept.size >= mostKept) kept.clear();
  kept.set(text, rule);
  return rule;
}

function readRule(text: string): Rule {
  const bad = (problem: string) =>
    new PawlError('bad_rule', `The rule ${JSON.stringify(text)} ${problem} Write it as tool or tool(pattern).`);
  const trimmed = text.trim();
  if (trimmed === '') throw bad('is empty.');
  for (const character of trimmed) {
    if (character < ' ' || character === '\u007f') throw bad('contains a control character.');
  }
  const open = trimmed.indexOf('(');
  const tool = open < 0 ? trimmed : trimmed.slice(0, open).trimEnd();
  if (tool === '') throw bad('names no tool.');
  if (tool.includes(')')) throw bad('closes a bracket that it never opened.');
  if (tool.includes('*') && !/^[^*]*\*$/.test(tool)) throw bad('has a * in the tool name that is not at its end.');
  if (!toolName.test(tool)) throw bad('has a tool name with characters that no tool name has.');
  if (open < 0) return { tool, pattern: null, text: trimmed };
  if (!trimmed.endsWith(')')) throw bad('opens a bracket and does not end with the closing one.');
  const pattern = trimmed.slice(open + 1, -1).trim();
  if (pattern === '') throw bad('has an empty pattern, which covers nothing.');
  return { tool, pattern, text: trimmed };
}

function inOurWords(rule: Rule): Rule {
  const { tool, pattern } = rule;
  // A server's name alone is all of its tools.
  if (/^mcp__(?:(?!__)[^*])+$/.test(tool)) return named(`${tool}__*`, pattern);
  const pasted = Object.hasOwn(pastedTools, tool) ? pastedTools[tool] : undefined;
  return pasted === undefined ? rule : named(pasted.tool, pattern === null ? null : pasted.patternOf(pattern));
}

const named = (tool: string, pattern: string | null): Rule => ({
  tool,
  pattern,
  text: pattern === null ? tool : `${tool}(${pattern})`,
});

/**
 * Whether a rule is about this tool. A deny or an ask is also about a tool whose name differs only in upper and lower
 * case, because a prohibition that is misspelt must not be silently without effect; an allow is not.
 */
export function namesTool(rule: Rule, tool: string, options: { ignoresCase: boolean }): boolean {
  const [name, called] = options.ignoresCase ? [rule.tool.toLowerCase(), tool.toLowerCase()] : [rule.tool, tool];
  return name.endsWith('*') ? matchesText(name, called, { hasOne: false }) : name === called;
}

/** A rule about a tool that there is not: it would silently hold for nothing. */
export type StrayRule = { list: keyof RuleSet; index: number; rule: string; tool: string };

/**
 * The rules of a set that name none of these tools. Left out are those with a `*`, and those about servers (`mcp__…`),
 * whose tools are known only once they run.
 * @throws `bad_rule`.
 */
export function strayRules(rules: Partial<RuleSet>, tools: readonly string[]): StrayRule[] {
  return (['deny', 'ask', 'allow'] as const).flatMap((list) =>
    (rules[list] ?? []).flatMap((text, index): StrayRule[] => {
      const rule = parseRule(text);
      const isOpen = rule.tool.includes('*') || rule.tool.startsWith('mcp__');
      const known = list === 'allow' && rule.pattern === null ? [...tools, uncontainedReading] : tools;
      const isKnown = known.some((tool) => namesTool(rule, tool, { ignoresCase: list !== 'allow' }));
      return isOpen || isKnown ? [] : [{ list, index, rule: text, tool: rule.tool }];
    }),
  );
}
