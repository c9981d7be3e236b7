import type { PermissionMode, RuleSet, ToolEffect, Verdict } from '@pawl/protocol';
import { allowsCommand, findsCommand } from './command-patterns.ts';
import { sureCommands } from './commands.ts';
import { isInside, matchesPath, type PathBase, segmentsOf } from './paths.ts';
import { namesTool, parseRule, type Rule } from './rules.ts';
import { matchesText } from './wildcard.ts';

/** Rules of one origin: `managed`, `user`, `project`, `session`, `agent`… The name is for people. */
export type RuleLayer = { name: string; rules: RuleSet };

/** What a rule's pattern is held against. A path is absolute and canonical (symlinks resolved). */
export type Subject = { kind: 'path' | 'command' | 'text'; value: string };

/** One call, as far as rules are concerned. */
export type Question = PathBase & {
  layers: readonly RuleLayer[];
  tool: string;
  /** All that the call touches; none if the tool has no main argument, and then only rules without a pattern apply. */
  subjects: readonly Subject[];
  mode: PermissionMode;
  effect: ToolEffect;
  /** Whether the tool itself would ask. */
  toolAsks: boolean;
};

export type Ruling = {
  verdict: Verdict;
  /** What decided, for people: `deny bash(rm *)`, `mode plan`, `tool write`. */
  rule: string;
  /** Why, as a sentence that the model may read. */
  reason: string;
};

/**
 * The verdict of rules and mode on one call, in this order, first answer wins:
 *
 * 1. a deny of any layer;
 * 2. plan mode, for whatever does not only read;
 * 3. an ask of any layer;
 * 4. a command that cannot be read with certainty, if some deny or ask has a pattern for it: asked;
 * 5. an allow of any layer;
 * 6. the tool's own question, as the mode answers it.
 *
 * A deny and an ask apply if they cover any subject, an allow only if it covers every one.
 * @throws `bad_rule` for a rule that cannot be read; nobody may run the call then.
 */
export function judgeByRules(question: Question): Ruling {
  const { mode, effect } = question;
  const denies = findRules(question, 'deny');
  const asks = findRules(question, 'ask');

  const denied = denies.find(({ coverage }) => coverage === 'yes');
  if (denied) return decidedBy('deny', denied, `${denied.rule.text} is denied by the ${denied.layer} rules.`);

  if (mode === 'plan' && effect !== 'read') {
    return {
      verdict: 'deny',
      rule: 'mode plan',
      reason: 'In plan mode nothing is changed. Put the change into the plan instead of making it.',
    };
  }

  const asked = asks.find(({ coverage }) => coverage !== 'no');
  if (asked) return decidedBy('ask', asked, `The ${asked.layer} rules ask before ${asked.rule.text}.`);

  const doubtful =
    denies.find(({ coverage }) => coverage === 'maybe') ??
    [...denies, ...asks].find(({ rule }) => rule.pattern !== null);
  if (doubtful && (doubtful.coverage === 'maybe' || question.subjects.some(isDoubtful))) {
    return {
      verdict: 'ask',
      rule: `doubt about ${doubtful.rule.text}`,
      reason: `It is not certain that this command stays clear of ${doubtful.rule.text}. A simpler command, without shell syntax, may need no question.`,
    };
  }

  const allowed = findRules(question, 'allow').find(({ coverage }) => coverage === 'yes');
  if (allowed) return decidedBy('allow', allowed, `${allowed.rule.text} is allowed by the ${allowed.layer} rules.`);

  return judgeByMode(question);
}

/** What holds where no rule says anything. */
function judgeByMode({ tool, mode, effect, subjects, toolAsks, cwd }: Question): Ruling {
  if (!toolAsks) return { verdict: 'allow', rule: `tool ${tool}`, reason: `${tool} needs no question for this.` };
  const isAnswered =
    mode === 'auto' ||
    (mode === 'accept-edits' &&
      effect === 'write' &&
      subjects.length > 0 &&
      subjects.every((each) => isPlainEdit(each, cwd)));
  return isAnswered
    ? { verdict: 'allow', rule: `mode ${mode}`, reason: `Mode ${mode} answers the question of ${tool} with yes.` }
    : { verdict: 'ask', rule: `tool ${tool}`, reason: `${tool} asks before it does this.` };
}

/** Folders and files that other programs obey. An edit there is more than an edit, so `accept-edits` leaves it to a person. */
const obeyedFolders = new Set('.envrc .git .githooks .github .gitlab .husky .idea .pawl .vscode'.split(' '));

const isPlainEdit = (subject: Subject, cwd: string) =>
  subject.kind === 'path' &&
  isInside(cwd, subject.value) &&
  !segmentsOf(subject.value)
    .slice(segmentsOf(cwd).length)
    .some((segment) => obeyedFolders.has(segment.toLowerCase()));

const isDoubtful = (subject: Subject) => subject.kind === 'command' && sureCommands(subject.value) === null;

type Found = { rule: Rule; layer: string; coverage: 'yes' | 'maybe' | 'no' };

/** Every rule of one list that is about this tool, from all layers, with how far it covers the call. */
function findRules(question: Question, list: keyof RuleSet): Found[] {
  return question.layers.flatMap(({ name, rules }) =>
    rules[list]
      .map(parseRule)
      .filter((rule) => namesTool(rule, question.tool, { ignoresCase: list !== 'allow' }))
      .map((rule) => ({ rule, layer: name, coverage: coverageOf(rule, question, list) })),
  );
}

function coverageOf({ pattern }: Rule, question: Question, list: keyof RuleSet): Found['coverage'] {
  if (pattern === null) return 'yes';
  const { subjects } = question;
  if (list === 'allow') {
    return subjects.length > 0 && subjects.every((subject) => allowsSubject(pattern, subject, question)) ? 'yes' : 'no';
  }
  const found = subjects.map((subject) => findsSubject(pattern, subject, question));
  return found.includes('yes') ? 'yes' : found.includes('maybe') ? 'maybe' : 'no';
}

function allowsSubject(pattern: string, { kind, value }: Subject, base: PathBase): boolean {
  switch (kind) {
    case 'path':
      return matchesPath(pattern, value, base);
    case 'command':
      return allowsCommand(pattern, value);
    case 'text':
      return matchesText(pattern, value, { hasOne: false });
    default:
      return kind satisfies never;
  }
}

function findsSubject(pattern: string, { kind, value }: Subject, base: PathBase): Found['coverage'] {
  switch (kind) {
    case 'path':
      return matchesPath(pattern, value, base, { withContents: true }) ? 'yes' : 'no';
    case 'command':
      return findsCommand(pattern, value);
    case 'text':
      return matchesText(pattern, value, { hasOne: false }) ? 'yes' : 'no';
    default:
      return kind satisfies never;
  }
}

function decidedBy(verdict: Verdict, { rule }: Found, reason: string): Ruling {
  return { verdict, rule: `${verdict} ${rule.text}`, reason };
}
