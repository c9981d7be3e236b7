/** What a model of this API takes. A request that asks for something else is refused. */
export type Traits = {
  /** `budget`: so many tokens; `adaptive`: as it sees fit; `unknown`: only if asked to. */
  thinking: 'none' | 'budget' | 'adaptive' | 'unknown';
  /** What comes closest to no thinking: nothing said, said so, thoughts between calls only, or less effort. */
  quietest: 'omitted' | 'disabled' | 'between_tools' | 'low_effort';
  hasEffort: boolean;
  /** Temperature and top-p: both, one of the two, or none. */
  sampling: 'both' | 'one' | 'none';
  /** Whether it can be made to call a tool. */
  canBeForced: boolean;
  hasSchemas: boolean;
  /** Whether the thoughts of earlier turns stay in its prompt; else the API takes them out when a new turn begins. */
  keepsThoughts: boolean;
  /** Whether a thought is void once anything before it has changed. */
  bindsThoughts: boolean;
  /** Whether this is a model that we know, and not one of a compatible server. */
  isKnown: boolean;
};

const plain: Traits = {
  thinking: 'none',
  quietest: 'omitted',
  hasEffort: false,
  sampling: 'both',
  canBeForced: true,
  hasSchemas: false,
  keepsThoughts: false,
  bindsThoughts: false,
  isKnown: true,
};
const budget: Traits = { ...plain, thinking: 'budget' };
const budgetOneSampler: Traits = { ...budget, sampling: 'one' };
const adaptive: Traits = {
  ...plain,
  thinking: 'adaptive',
  quietest: 'disabled',
  hasEffort: true,
  sampling: 'one',
  hasSchemas: true,
  keepsThoughts: true,
};
const current: Traits = { ...adaptive, sampling: 'none' };
const binding: Traits = { ...current, bindsThoughts: true };

/**
 * By the beginning of a model's name, the first that fits. Sources, of 2026-11: the pages of the models below
 * https://platform.claude.com/docs/en/models, …/docs/en/build-with-claude/thinking, …/preserved-thinking and …/structured-outputs. That 4.1 to 4.6 take either temperature or top-p is said by the
 * API alone: https://github.com/BerriAI/litellm/issues/15097.
 */
const models: readonly (readonly [name: RegExp, traits: Traits])[] = [
  [/^(fable|mythos)-5-\d/, { ...binding, quietest: 'low_effort', canBeForced: false }],
  [/^(fable|mythos)/, { ...current, quietest: 'low_effort' }],
  [/^opus-5-5/, { ...binding, quietest: 'low_effort', canBeForced: false }],
  [/^sonnet-5-5/, { ...binding, quietest: 'between_tools', canBeForced: false }],
  [/^haiku-5-5/, binding],
  [/^(opus|sonnet|haiku)-(5|4-[78])/, current],
  [/^(opus|sonnet)-4-6/, adaptive],
  [/^opus-4-5/, { ...budgetOneSampler, hasEffort: true, hasSchemas: true, keepsThoughts: true }],
  [/^(sonnet|haiku)-4-5|^opus-4-1/, { ...budgetOneSampler, hasSchemas: true }],
  [/^(opus|sonnet)-4|^3-7/, budget],
  [/^(3|2|instant)/, plain],
  // Newer than this table.
  [/^/, binding],
];

/** Where others speak this API, nobody knows; what is sent is what was asked for. */
const stranger: Traits = {
  ...plain,
  thinking: 'unknown',
  quietest: 'disabled',
  hasEffort: true,
  keepsThoughts: true,
  isKnown: false,
};

/** What the model called `name` takes; the name may stand behind a vendor or a region. */
export function traitsOf(name: string): Traits {
  const family = /claude-(.*)$/.exec(name.toLowerCase())?.[1];
  if (family === undefined) return stranger;
  const dashed = family.replaceAll('.', '-');
  return models.find(([start]) => start.test(dashed))?.[1] ?? binding;
}
