import type { InputSchema, Tool, ToolContext, ToolDefinition, ToolOutcome } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';

/** What a schema turns arguments into: with JSON Schema, any object. */
type ArgumentsOf<Schema extends InputSchema | JsonObject> = Schema extends InputSchema
  ? NonNullable<Schema['~standard']['types']>['output'] & JsonObject
  : JsonObject;

/** The `details` of a tool's outcomes. */
export type DetailsOf<Defined> = Defined extends Tool<infer _, infer Details> ? Details : never;

/**
 * A tool whose functions know the type of their arguments, from a schema of zod, valibot, arktype or any other library
 * that speaks https://standardschema.dev, and whose `details` have one type wherever it gives them. The engine holds the
 * arguments against the schema before it calls them. `run` may give a text alone.
 * @example
 * const dice = defineTool({
 *   name: 'dice',
 *   description: 'Rolls a dice.',
 *   input: z.object({ sides: z.number().int().default(6) }),
 *   effect: 'read',
 *   run: ({ sides }) => `It shows ${1 + Math.floor(Math.random() * sides)}.`,
 * });
 */
export function defineTool<Schema extends InputSchema | JsonObject, Details extends JsonObject = Record<string, never>>(
  tool: Omit<ToolDefinition<ArgumentsOf<Schema>, Details>, 'input'> & { readonly input: Schema },
): Tool<JsonObject, Details> {
  const { run } = tool;
  const defined = {
    ...tool,
    run: async (input: ArgumentsOf<Schema>, context: ToolContext): Promise<ToolOutcome<Details>> => {
      const returned = await run.call(tool, input, context);
      return typeof returned === 'string' ? { content: returned } : returned;
    },
  };
  // The narrower type of the arguments is a fact, because they were checked.
  return defined as unknown as Tool<JsonObject, Details>;
}
