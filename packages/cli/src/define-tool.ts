import type { InputSchema, Tool } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';

/** What a schema turns arguments into. */
type OutputOf<Schema extends InputSchema> = NonNullable<Schema['~standard']['types']>['output'];

/**
 * A tool whose functions know the type of their arguments, from a schema of zod, valibot, arktype or any other library
 * that speaks https://standardschema.dev. The engine holds the arguments against the schema before it calls them.
 */
export function defineTool<Schema extends InputSchema>(
  tool: Omit<Tool<OutputOf<Schema> & JsonObject>, 'input'> & { readonly input: Schema },
): Tool {
  // The narrower type of the arguments is a fact, because they were checked.
  return tool as unknown as Tool;
}
