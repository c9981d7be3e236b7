/** Who may do what: rules, modes and the readings of paths and commands they rest on. Pure; nothing else decides. */

export { barredIn } from './barred.ts';
export { type Containment, namedPaths, type Question, type RuleLayer, type Subject } from './claims.ts';
export { allowsCommand } from './command-allow.ts';
export { type Coverage, findsCommand } from './command-find.ts';
export { type Explanation, explainByRules, type JudgedPart, judgeByRules, plainAsk, type Ruling } from './judge.ts';
export { isObeyed, obeyedNames } from './obeyed.ts';
export { type PathDenies, pathDenies } from './path-denies.ts';
export { folderOfPattern, isInside, matchesPath, type PathBase, segmentsOf } from './paths.ts';
export { commandNames, reachesOutside, readingCommands, readsOnly, readsWhereContained } from './reading.ts';
export { parseRule, type Rule, type StrayRule, strayRules, uncontainedReading } from './rules.ts';
export { judgeScope, scopeRoots, type WriteScopes } from './scope.ts';
export { prepareCommand } from './shell/analyse.ts';
export { limitOfRule, suggestRules } from './suggest.ts';
export { hostPattern, matchesUrl, problemOfHost } from './urls.ts';
export { matchesText } from './wildcard.ts';
