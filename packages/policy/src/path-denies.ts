/** What rules deny as places, for a sandbox to keep: it knows no commands, and needs to. */
import { isPathRule, type RuleLayer } from './claims.ts';
import { parseRule } from './rules.ts';
import { readTools } from './tool-names.ts';

/** Patterns, as they are written in rules. */
export type PathDenies = { read: readonly string[]; edit: readonly string[] };

/** @throws `bad_rule`. */
export function pathDenies(layers: readonly RuleLayer[]): PathDenies {
  const read: string[] = [];
  const edit: string[] = [];
  for (const rule of layers.flatMap(({ rules }) => rules.deny).map(parseRule)) {
    if (rule.pattern === null || !isPathRule(rule)) continue;
    (isAboutReading(rule.tool) ? read : edit).push(rule.pattern);
  }
  return { read: [...new Set(read)], edit: [...new Set(edit)] };
}

const isAboutReading = (tool: string) => tool === '*' || readTools.has(tool.toLowerCase());
