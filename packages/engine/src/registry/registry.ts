import { type JsonObject, PawlError } from '@pawl/protocol';
import { schemaFault } from '../core/index.ts';
import type { InputSchema, Tool, ToolDefinition, ToolSpec } from '../ports.ts';

/** The tools that a session may call, by name. The tools are shared between clones, the map is each one's own. */
export interface Registry {
  /** @throws `duplicate_tool` if the name is taken; `bad_tool` if no model could be told of it. */
  register(tool: ToolDefinition): void;
  /** Registers a tool, in the place of another of its name if there is one. @throws `bad_tool`. */
  replace(tool: ToolDefinition): void;
  /** Whether there was one to remove. */
  unregister(name: string): boolean;
  get(name: string): Tool | undefined;
  /** Sorted. */
  names(): string[];
  /** Sorted by name; the same array until the set changes, so that a model's prompt prefix stays the same. */
  specs(): readonly ToolSpec[];
  clone(): Registry;
  /** A registry with only these tools: all that a trust profile offers, or none. @throws `unknown_tool`. */
  only(names: readonly string[] | 'none'): Registry;
}

/**
 * @throws `duplicate_tool`, `bad_tool`.
 * @example
 * const tools = createRegistry([readTool]);
 * tools.register(searchTool); // sessions have it from their next step on
 */
export function createRegistry(tools: Iterable<ToolDefinition> = []): Registry {
  const registry = registryOf(new Map());
  for (const tool of tools) registry.register(tool);
  return registry;
}

type Entry = { tool: Tool; spec: ToolSpec };

function registryOf(entries: Map<string, Entry>): Registry {
  let specs: readonly ToolSpec[] | null = null;
  const names = () => [...entries.keys()].sort((one, other) => (one < other ? -1 : 1));
  const set = (definition: ToolDefinition) => {
    // What it returns is made an outcome where it is run.
    const tool = definition as Tool;
    entries.set(tool.name, { tool, spec: specOf(tool) });
    specs = null;
  };
  return {
    register(tool) {
      if (entries.has(tool.name)) {
        throw new PawlError(
          'duplicate_tool',
          `There is already a tool named "${tool.name}". Rename one, or replace it on purpose.`,
        );
      }
      set(tool);
    },
    replace: set,
    unregister(name) {
      specs = null;
      return entries.delete(name);
    },
    get: (name) => entries.get(name)?.tool,
    names,
    specs() {
      specs ??= names().flatMap((name) => entries.get(name)?.spec ?? []);
      return specs;
    },
    clone: () => registryOf(new Map(entries)),
    only(wanted) {
      const kept = new Map<string, Entry>();
      for (const name of wanted === 'none' ? [] : wanted) {
        const entry = entries.get(name);
        if (entry === undefined)
          throw new PawlError('unknown_tool', `There is no tool named "${name}". There are: ${names().join(', ')}.`);
        kept.set(name, entry);
      }
      return registryOf(kept);
    },
  };
}

/** Names that every provider accepts. */
const acceptedName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

function specOf(tool: Tool): ToolSpec {
  if (!acceptedName.test(tool.name)) {
    throw new PawlError(
      'bad_tool',
      `"${tool.name}" is no name for a tool. Use letters, digits, _ and -, at most 64, beginning with a letter.`,
    );
  }
  return { name: tool.name, description: tool.description, inputSchema: jsonSchemaOf(tool) };
}

/** Whether a tool's input is described by a schema library rather than by JSON Schema. */
export function isStandardSchema(input: Tool['input']): input is InputSchema {
  return '~standard' in input;
}

/** The JSON Schema of a tool's arguments. @throws `bad_tool` when there is none, or it is not of an object. */
function jsonSchemaOf(tool: Tool): JsonObject {
  const { $schema: _, ...schema } = tool.inputSchema ?? describe(tool);
  if (schema.type !== 'object') {
    throw new PawlError(
      'bad_tool',
      `The input of the tool "${tool.name}" is not an object. Give it a schema of type "object".`,
    );
  }
  const fault = schemaFault(schema);
  if (fault !== null)
    throw new PawlError('bad_tool', `The input of the tool "${tool.name}" is no JSON Schema: ${fault}`);
  return schema;
}

function describe({ name, input }: Tool): JsonObject {
  if (!isStandardSchema(input)) return input;
  const converter = input['~standard'].jsonSchema;
  if (converter === undefined) {
    throw new PawlError(
      'bad_tool',
      `The schema of the tool "${name}" cannot describe itself as JSON Schema. Give the tool an inputSchema too.`,
    );
  }
  return converter.input({ target: 'draft-2020-12' }) as JsonObject;
}
