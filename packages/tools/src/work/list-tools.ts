import type { Tool, ToolContext, ToolOutcome, ToolSpec } from '@pawl/engine';
import { defineTool, objectSchema } from '../tool.ts';

type ListToolsInput = { query?: string };

/** Tools that one search describes, at most: each costs the prompt some hundred tokens from then on. */
const maxFound = 8;
const longestLine = 120;

/**
 * Lists the tools, or finds those for something. Of a large set a model is told only some; what a search finds, it is
 * told of from its next step on.
 */
export function listToolsTool(): Tool {
  return defineTool<ListToolsInput>({
    name: 'list_tools',
    description:
      'Lists all tools by name, or with a query describes those that fit it, so that you can call them from the next step on. A query is names or a few words.',
    input: objectSchema({ query: { type: 'string', maxLength: 200 } }, []),
    effect: 'read',
    findsTools: true,
    run: async ({ query = '' }, context) => (query.trim() === '' ? listAll(context) : find(query, context)),
  });
}

function listAll({ tools = [] }: ToolContext): ToolOutcome {
  const lines = tools.map(({ name, description }) => `${name}: ${firstLine(description)}`);
  return { content: lines.join('\n'), details: { tools: tools.length } };
}

function firstLine(description: string): string {
  const [sentence = ''] = description.split(/(?<=[.!?])\s|\n/);
  return sentence.length <= longestLine ? sentence : `${sentence.slice(0, longestLine - 1).toWellFormed()}…`;
}

function find(query: string, { tools = [] }: ToolContext): ToolOutcome {
  const words = wordsOf(query);
  const named = query.toLowerCase().split(/[\s,]+/);
  const called = tools.filter(({ name }) => named.includes(name.toLowerCase()));
  // Whoever knows the names wants these and no others.
  const ranked = (called.length > 0 ? called : tools)
    .map((tool) => ({ tool, rank: rankOf(tool, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank || (one.tool.name < other.tool.name ? -1 : 1));
  const found = ranked.slice(0, maxFound).map(({ tool }) => tool);
  if (found.length === 0) {
    return { content: `No tool fits "${query}". Without a query all are listed by name.`, details: { found: 0 } };
  }
  const more = ranked.length - found.length;
  const described = found.map(
    ({ name, description, inputSchema }) => `${name}: ${description}\nArguments: ${JSON.stringify(inputSchema)}`,
  );
  if (more > 0) described.push(`(${more} more fit; say more exactly what you need.)`);
  return { content: described.join('\n\n'), details: { found: found.length }, offers: found.map(({ name }) => name) };
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Words of the name count most, then parts of it, then words of the description. */
function rankOf({ name, description }: ToolSpec, words: readonly string[]): number {
  const nameWords = wordsOf(name.replaceAll('_', ' '));
  const said = description.toLowerCase();
  return words.reduce((rank, word) => {
    if (nameWords.includes(word)) return rank + 10;
    if (name.toLowerCase().includes(word)) return rank + 5;
    return said.includes(word) ? rank + 1 : rank;
  }, 0);
}
