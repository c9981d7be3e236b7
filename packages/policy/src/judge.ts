import type { RuleSet, Verdict } from '@pawl/protocol';
import { type Claim, claimsOf, isPathRule, type Question } from './claims.ts';
import type { Coverage } from './command-find.ts';
import { namesTool, parseRule, type Rule, uncontainedReading } from './rules.ts';

export type Ruling = {
  verdict: Verdict;
  /** What decided, for people: `deny bash(rm *)`, `mode plan`, `tool write`. */
  rule: string;
  /** Why, as a sentence that the model may read. */
  reason: string;
};

/** One part of a call, and what was said of it. */
export type JudgedPart = Ruling & {
  kind: Claim['kind'];
  text: string;
  /** Where the rule that decided comes from; null where no rule did. */
  layer: string | null;
};

export type Explanation = { ruling: Ruling; parts: readonly JudgedPart[] };

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
 * A call is judged in its parts: every path, every command of a command line, every redirect. A deny or an ask of one
 * part is one of the call; an allow must cover every part that does more than read, each by a rule or the mode.
 * Commands must have been prepared (`prepareCommand`).
 * @throws `bad_rule` for a rule that cannot be read, `no_grammar` for a command that was not prepared; nobody may run
 *   the call then.
 */
export function judgeByRules(question: Question): Ruling {
  return explainByRules(question).ruling;
}

type Listed = { rule: Rule; layer: string };
/** What decided a part; the order is the one in which it decides. */
type Basis = 'rule' | 'doubt' | 'allow' | 'harmless' | 'mode';
type Judged = JudgedPart & { basis: Basis };

/** Whatever allows a call allows it where it is contained. */
const leaving: Ruling = {
  verdict: 'ask',
  rule: 'leaving the sandbox',
  reason: 'This is to run outside of the sandbox, and that is always asked.',
};

/** The same, with what was said of each part. @throws as `judgeByRules`. */
export function explainByRules(question: Question): Explanation {
  const explained = explain(question);
  const isLeaving = question.containment === 'escape' && explained.ruling.verdict === 'allow';
  return isLeaving ? { ...explained, ruling: leaving } : explained;
}

function explain(question: Question): Explanation {
  const rules = { deny: listed(question, 'deny'), ask: listed(question, 'ask'), allow: listed(question, 'allow') };
  const claims = claimsOf(question);
  const whole = judgeWhole(question, rules);
  if (whole !== null && (whole.verdict === 'deny' || claims.length === 0))
    return { ruling: bare(whole), parts: [whole] };
  const named = rules.allow.find(({ rule }) => isVerbatim(rule, claims, question)) ?? null;
  const parts = claims.map((claim) => judgeClaim(claim, question, rules, named));
  const denied = parts.find(({ verdict }) => verdict === 'deny');
  if (denied) return { ruling: bare(denied), parts };
  const plan = judgeByPlan(question);
  if (plan !== null) return { ruling: plan, parts };
  if (whole !== null && whole.verdict === 'ask') return { ruling: bare(whole), parts: [whole, ...parts] };
  // That a part is harmless helps a call that is allowed otherwise. By itself it is the tool that knows.
  const isHelped = parts.some(
    ({ basis, verdict }, index) =>
      basis === 'allow' || (basis === 'mode' && verdict === 'allow' && claims[index]?.isPlainEdit === true),
  );
  // Where something else is asked about anyway, it is no part of the question.
  const isAsking = question.toolAsks && !isHelped && !parts.some(({ verdict }) => verdict === 'ask');
  const final = parts.map((part, index) =>
    part.basis === 'harmless' && isAsking ? byMode(claims[index] as Claim, question) : part,
  );
  const decisive =
    final.find(({ verdict, basis }) => verdict === 'ask' && basis === 'rule') ??
    final.find(({ verdict, basis }) => verdict === 'ask' && basis === 'doubt') ??
    final.find(({ verdict }) => verdict === 'ask') ??
    final.find(({ basis }) => basis === 'allow') ??
    final.find(({ basis }) => basis === 'mode') ??
    final[0] ??
    byMode(null, question);
  return { ruling: bare(decisive), parts: final.map(({ basis: _, ...part }) => part) };
}

const bare = ({ verdict, rule, reason }: Ruling): Ruling => ({ verdict, rule, reason });

/** Every rule of one list, from all layers. */
function listed({ layers }: Question, list: keyof RuleSet): Listed[] {
  return layers.flatMap(({ name, rules }) => rules[list].map((text) => ({ rule: parseRule(text), layer: name })));
}

/** Rules about the tool without a pattern; of the tool's own calls nothing else counts where there is no argument. */
function judgeWhole(question: Question, rules: { [List in keyof RuleSet]: readonly Listed[] }): Judged | null {
  const part = { kind: 'text', text: question.tool } as const;
  for (const verdict of ['deny', 'ask', 'allow'] as const) {
    const found = rules[verdict].find(
      ({ rule }) => rule.pattern === null && namesTool(rule, question.tool, { ignoresCase: verdict !== 'allow' }),
    );
    if (found === undefined) {
      if (verdict === 'deny' && question.subjects.length === 0) {
        const plan = judgeByPlan(question);
        if (plan !== null) return { ...part, ...plan, layer: null, basis: 'rule' };
      }
      continue;
    }
    if (verdict === 'allow' && question.subjects.length > 0) return null;
    return decidedBy(verdict, found, part);
  }
  return question.subjects.length === 0 ? byMode(null, question) : null;
}

function judgeByPlan({ mode, effect, containment }: Question): Ruling | null {
  if (mode !== 'plan' || effect === 'read' || containment === 'read-only') return null;
  return {
    verdict: 'deny',
    rule: 'mode plan',
    reason: 'In plan mode nothing is changed. Put the change into the plan instead of making it.',
  };
}

/** A rule whose pattern is the very text of a command that leaves no doubt. */
function isVerbatim(rule: Rule, claims: readonly Claim[], { subjects, tool }: Question): boolean {
  const [subject] = subjects;
  return (
    subjects.length === 1 &&
    subject?.kind === 'command' &&
    rule.pattern === subject.value.trim() &&
    namesTool(rule, tool, { ignoresCase: false }) &&
    claims.every(({ doubt }) => doubt === null)
  );
}

function judgeClaim(
  claim: Claim,
  question: Question,
  rules: { [List in keyof RuleSet]: readonly Listed[] },
  named: Listed | null,
): Judged {
  const find = (list: readonly Listed[], coverage: Coverage) => list.find(({ rule }) => claim.finds(rule) === coverage);
  const denied = find(rules.deny, 'yes');
  if (denied) return decidedBy('deny', denied, claim);

  const asked = find(rules.ask, 'yes') ?? find(rules.ask, 'maybe');
  if (asked) return decidedBy('ask', asked, claim);

  const prohibitions = [...rules.deny, ...rules.ask];
  const doubtful =
    find(rules.deny, 'maybe') ??
    (claim.doubt === null ? undefined : prohibitions.find(({ rule }) => isAboutCommand(rule, question)));
  if (doubtful) {
    const why = claim.doubt === null ? '' : `: ${claim.doubt}`;
    return {
      ...partOf(claim),
      verdict: 'ask',
      rule: `doubt about ${doubtful.rule.text}`,
      reason: `It is not certain that this command stays clear of ${doubtful.rule.text}${why}. A simpler command, without shell syntax, may need no question.`,
      layer: doubtful.layer,
      basis: 'doubt',
    };
  }

  const isBare = ({ rule }: Listed) => rule.pattern === null && namesTool(rule, question.tool, { ignoresCase: false });
  const allowed = rules.allow.find(isBare) ?? named ?? rules.allow.find(({ rule }) => claim.allows(rule));
  if (allowed) return decidedBy('allow', allowed, claim);
  if (claim.harmless !== null) {
    const freed = rules.allow.find(({ rule }) => rule.tool === uncontainedReading && rule.pattern === null);
    if (freed) return decidedBy('allow', freed, claim);
    return {
      ...partOf(claim),
      verdict: 'allow',
      rule: 'commands that only read',
      reason: `No rule is needed for this: ${claim.harmless}.`,
      layer: null,
      basis: 'harmless',
    };
  }
  return byMode(claim, question);
}

const isAboutCommand = (rule: Rule, { tool }: Question) =>
  rule.pattern !== null && (namesTool(rule, tool, { ignoresCase: true }) || isPathRule(rule));

const partOf = ({ kind, text }: Pick<Claim, 'kind' | 'text'>) => ({ kind, text });

/** What holds where no rule says anything. */
function byMode(claim: Claim | null, question: Question): Judged {
  const { tool, mode, toolAsks } = question;
  const part = claim === null ? ({ kind: 'text', text: tool } as const) : partOf(claim);
  const judged = { ...part, layer: null, basis: 'mode' } as const;
  if (!toolAsks && claim?.isSurprising !== true) {
    return { ...judged, verdict: 'allow', rule: `tool ${tool}`, reason: `${tool} needs no question for this.` };
  }
  if (mode === 'auto' || (mode === 'accept-edits' && claim?.isPlainEdit === true)) {
    return {
      ...judged,
      verdict: 'allow',
      rule: `mode ${mode}`,
      reason: `Mode ${mode} answers the question of ${tool} with yes.`,
    };
  }
  if (claim !== null && isHeld(claim, question)) {
    return {
      ...judged,
      verdict: 'allow',
      rule: `mode ${mode}, in the sandbox`,
      reason: held[question.containment === 'read-only' ? 'nothing' : 'folder'],
    };
  }
  const why = claim?.isOutside === true ? ' It leads out of the session’s folder.' : '';
  const doubt = claim?.doubt == null ? '' : ` What it would do is not certain: ${claim.doubt}.`;
  return { ...judged, verdict: 'ask', rule: `tool ${tool}`, reason: `${plainAsk(tool)}${why}${doubt}` };
}

/** The reason of a question that a tool puts each time, where there is no other. */
export const plainAsk = (tool: string): string => `${tool} asks before it does this.`;

const held = {
  nothing: 'It runs in the sandbox, where it can change no files.',
  folder: 'It runs in the sandbox, where it can change no files but those of the session’s folder.',
};

/** Whether a sandbox keeps this from doing more than the mode lets edits do. */
function isHeld({ isSurprising, isOutward }: Claim, { mode, containment = 'none' }: Question): boolean {
  if (isSurprising || isOutward) return false;
  if (containment === 'read-only') return mode === 'accept-edits' || mode === 'plan';
  return containment === 'workspace' && mode === 'accept-edits';
}

function decidedBy(verdict: Verdict, { rule, layer }: Listed, part: Pick<Claim, 'kind' | 'text'>): Judged {
  const reason =
    verdict === 'deny'
      ? `${rule.text} is denied by the ${layer} rules.`
      : verdict === 'ask'
        ? `The ${layer} rules ask before ${rule.text}.`
        : `${rule.text} is allowed by the ${layer} rules.`;
  return {
    ...partOf(part),
    verdict,
    rule: `${verdict} ${rule.text}`,
    reason,
    layer,
    basis: verdict === 'allow' ? 'allow' : 'rule',
  };
}
