/**
 * Which tools are described to a model: essential ones and those that it searched for; in a small set all but those that
 * declare themselves as rarely used. Of the others the model gets the names.
 */
import type { ToolSpec } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';

/** Larger sets are not described as a whole: that would cost more tokens than most work is worth. */
const maxToolsSent = 40;

type Told = { found: string; specs: readonly ToolSpec[] };
/** The last answer for each set: the array stays the same from step to step, as a prompt's cached prefix must. */
const told = new WeakMap<readonly ToolSpec[], Told>();

/** `found` are the names of tools that the model has searched for in this session. */
export function offeredTools(tools: Pick<Registry, 'specs' | 'get'>, found: readonly string[]): readonly ToolSpec[] {
  const all = tools.specs();
  const key = [...found].sort((one, other) => (one < other ? -1 : 1)).join(' ');
  const known = told.get(all);
  if (known?.found === key) return known.specs;
  const specs = choose(all, tools, found);
  told.set(all, { found: key, specs });
  return specs;
}

function choose(all: readonly ToolSpec[], tools: Pick<Registry, 'get'>, found: readonly string[]): readonly ToolSpec[] {
  const finder = all.find(({ name }) => tools.get(name)?.findsTools === true);
  if (finder === undefined) return all;
  const isSmall = all.length <= maxToolsSent;
  const isTold = ({ name }: ToolSpec) =>
    name === finder.name || found.includes(name) || (tools.get(name)?.isEssential ?? isSmall);
  const hidden = all.filter((spec) => !isTold(spec)).map(({ name }) => name);
  if (hidden.length === 0) return all;
  const description = `${finder.description}\nNot described here: ${hidden.join(', ')}.`;
  return all.filter(isTold).map((spec) => (spec === finder ? { ...spec, description } : spec));
}
