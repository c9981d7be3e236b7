import type { Tool } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';

/**
 * A tool as a registry holds it. Its functions get arguments that the engine has held against the schema, so the
 * narrower type of its input is a fact and not a hope.
 */
export function defineTool<Input extends JsonObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** JSON Schema of an object with these properties and no others. */
export function objectSchema(properties: { [name: string]: JsonObject }, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}
