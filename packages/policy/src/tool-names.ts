/** The tools that rules speak of by name. What a rule means for a tool follows from these lists, and from nothing else. */

/** Rules about reading a path are rules of one of these, whoever reads it. */
export const readTools: ReadonlySet<string> = new Set(['glob', 'grep', 'list', 'read']);

/** Rules about changing a path are rules of one of these, whoever changes it. */
export const writeTools: ReadonlySet<string> = new Set(['delete', 'edit', 'multi_edit', 'patch', 'write']);

/** What a rule of one of these allows, a redirect of a command may do too. */
export const fileWriters: ReadonlySet<string> = new Set(['edit', 'write']);

/** Changes that tell nothing of what stood there, so a deny of reading does not keep them. */
export const blindWriters: ReadonlySet<string> = new Set(['delete', 'write']);

/** Tools that do what another one does, so that an allow of that one is for them too. */
export const allowedWith: Readonly<Record<string, string>> = { multi_edit: 'edit', patch: 'edit' };

/** The tool whose rules are about commands. */
export const commandTool = 'bash';

/** The tool that stands for all that search below a folder. */
export const searchTool = 'grep';

type PastedTool = {
  tool: string;
  /** The pattern in our words. */
  patternOf(pattern: string): string;
};

const asItIs = (pattern: string) => pattern;

/** There, `//` begins at the root, `/` at the project, and a name without a slash is meant wherever it is. */
function pathPattern(pattern: string): string {
  if (pattern.startsWith('//')) return pattern.slice(1);
  if (pattern.startsWith('/')) return `.${pattern}`;
  return pattern.includes('/') || pattern.startsWith('~') || pattern === '**' ? pattern : `**/${pattern}`;
}

/** What widely used rules call our tools, and how they write their patterns. */
export const pastedTools: Readonly<Record<string, PastedTool>> = {
  Bash: { tool: commandTool, patternOf: (pattern) => pattern.replace(/:\*$/, ' *') },
  Edit: { tool: 'edit', patternOf: pathPattern },
  Glob: { tool: 'glob', patternOf: pathPattern },
  Grep: { tool: 'grep', patternOf: pathPattern },
  LS: { tool: 'list', patternOf: pathPattern },
  MultiEdit: { tool: 'multi_edit', patternOf: pathPattern },
  NotebookEdit: { tool: 'edit', patternOf: pathPattern },
  Read: { tool: 'read', patternOf: pathPattern },
  Task: { tool: 'task', patternOf: asItIs },
  TodoWrite: { tool: 'todo', patternOf: asItIs },
  WebFetch: { tool: 'web_fetch', patternOf: (pattern) => pattern.replace(/^domain:\s*/, '') },
  WebSearch: { tool: 'web_search', patternOf: asItIs },
  Write: { tool: 'write', patternOf: pathPattern },
};
