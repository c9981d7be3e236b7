import { PawlError } from '@pawl/protocol';
import { matchesText } from './wildcard.ts';

/** One rule, as `tool` or `tool(pattern)`. Without a pattern it covers every call of the tool. */
export type Rule = {
  /** A tool's name, the beginning of one and `*`, or `*` alone. */
  tool: string;
  pattern: string | null;
  /** As it was written. */
  text: string;
};

const toolName = /^(?:\*|[A-Za-z_][A-Za-z0-9_.:/-]*\*?)$/;

/** @throws `bad_rule`, saying what is wrong with the text. */
export function parseRule(text: string): Rule {
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

/**
 * Whether a rule is about this tool. A deny or an ask is also about a tool whose name differs only in upper and lower
 * case, because a prohibition that is misspelt must not be silently without effect; an allow is not.
 */
export function namesTool(rule: Rule, tool: string, options: { ignoresCase: boolean }): boolean {
  const [name, called] = options.ignoresCase ? [rule.tool.toLowerCase(), tool.toLowerCase()] : [rule.tool, tool];
  return name.endsWith('*') ? matchesText(name, called, { hasOne: false }) : name === called;
}
