/** Who may do what: rules, modes and the readings of paths and commands they rest on. Pure; nothing else decides. */

export { allowsCommand, type Coverage, findsCommand } from './command-patterns.ts';
export { judgeByRules, type Question, type RuleLayer, type Ruling, type Subject } from './judge.ts';
export { isInside, matchesPath, type PathBase, segmentsOf } from './paths.ts';
export { reachesOutside, readingCommands, readsOnly } from './reading.ts';
export { parseRule, type Rule } from './rules.ts';
export { suggestRules } from './suggest.ts';
