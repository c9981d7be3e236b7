/**
 * What a project ships and could widen or run something takes effect only after the user has trusted its exact content.
 * Here is what counts as such, and the digest that stands for it; asking and remembering is the command line's part.
 */
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@pawl/protocol';

/** One thing that a project's settings bring along. */
export type Shipped = {
  /** Where it stands: `rules.allow`, `hooks`, `servers.github`… */
  place: string;
  /** What it would do, for the person who is asked. */
  does: string;
  content: Json;
};

/** Settings that choose among what the user has, or narrow it. They need no trust. Whatever is not listed does. */
const narrowing: ReadonlySet<string> = new Set(['limits', 'model', 'pools', 'instructions', 'tasks']);

const meanings: { readonly [setting: string]: string } = {
  agents: 'adds agents with prompts and rules of their own',
  commands: 'adds commands that run a prompt',
  flows: 'starts work of agents when work ends',
  environment: 'sets variables of the programs that are run',
  hooks: 'runs programs when something happens',
  models: 'says what models cost and take',
  prompts: 'adds to what models are told before everything else',
  providers: 'says where conversations are sent',
  servers: 'starts or connects servers that offer tools',
  skills: 'adds instructions that the model may load',
};

/** All of a project's settings that need trust, in the order of their places. Unknown settings do too. */
export function shippedBy(settings: JsonObject): Shipped[] {
  const shipped = Object.entries(settings).flatMap(([setting, content]): Shipped[] => {
    if (content === undefined || content === null || narrowing.has(setting)) return [];
    switch (setting) {
      case 'rules':
        return rulesOf(content);
      case 'mode':
        return content === 'manual' || content === 'plan'
          ? []
          : [{ place: 'mode', does: 'answers the questions of tools with yes', content }];
      case 'variants':
        return entriesOf(content).flatMap(([name, variant]) =>
          isObject(variant) && 'body' in variant
            ? [{ place: `variants.${name}`, does: 'adds to requests to models', content: variant }]
            : [],
        );
      default: {
        const does = meanings[setting] ?? 'is a setting that this version does not know';
        const entries = entriesOf(content);
        return entries.length === 0
          ? isEmpty(content)
            ? []
            : [{ place: setting, does, content }]
          : entries.map(([name, entry]) => ({ place: `${setting}.${name}`, does, content: entry }));
      }
    }
  });
  return shipped.sort((one, other) => (one.place < other.place ? -1 : one.place > other.place ? 1 : 0));
}

function rulesOf(rules: Json): Shipped[] {
  if (!isObject(rules)) return [];
  return Object.entries(rules).flatMap(([list, content]) =>
    list === 'deny' || list === 'ask' || isEmpty(content)
      ? []
      : [{ place: `rules.${list}`, does: 'lets calls run without a question', content }],
  );
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const entriesOf = (value: Json): [string, Json][] => (isObject(value) ? Object.entries(value) : []);
const isEmpty = (value: Json): boolean =>
  value === null ||
  (Array.isArray(value) ? value.length === 0 : typeof value === 'object' && Object.keys(value).length === 0);

/**
 * Words in what is shipped that may name a file of the project: the script of a hook, the program of a server. The
 * caller adds the content of those that exist, so that a change of the script asks again too. What a rule names is not
 * run by it: `bash(node build.js *)` allows that script as it changes from day to day.
 */
export function filesNamedIn(shipped: readonly Shipped[]): string[] {
  const found = new Set<string>();
  const visit = (value: Json): void => {
    if (typeof value === 'string') {
      for (const word of value.split(/[\s"'`;&|<>()=,]+/)) {
        const path = word.replace(/^\$\{?[A-Z_]*(?:PROJECT_DIR|PWD)\}?\//, '');
        if (path !== '' && !/[\0$*?]/.test(path) && path.length <= 4096) found.add(path);
      }
    } else if (Array.isArray(value)) for (const each of value) visit(each);
    else if (isObject(value)) for (const each of Object.values(value)) visit(each ?? null);
  };
  for (const { place, content } of shipped) if (!place.startsWith('rules.')) visit(content);
  return [...found].sort((one, other) => (one < other ? -1 : 1));
}

/**
 * The digest of exactly this content, `sha256-…`; null where nothing needs trust. The order of keys makes no difference.
 * @param files Digests of the files named in it, by path.
 */
export function trustDigest(shipped: readonly Shipped[], files: Readonly<Record<string, string>> = {}): string | null {
  if (shipped.length === 0) return null;
  const content = { shipped: shipped.map(({ place, content }) => ({ place, content })), files };
  return `sha256-${createHash('sha256').update(sorted(content)).digest('hex')}`;
}

/** JSON with its keys in order. */
function sorted(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${sorted(each ?? null)}`).join(',')}}`;
}
