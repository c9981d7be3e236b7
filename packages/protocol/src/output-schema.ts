/** What the result of a turn is to satisfy, as programs say it. In the log it is always JSON Schema. */
import { PawlError } from './errors.ts';
import type { Json, JsonObject } from './types.ts';

/** A schema of a library that speaks https://standardschema.dev and describes itself as JSON Schema. */
export type DescribedSchema<Output = unknown> = {
  readonly '~standard': {
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    validate(value: unknown): Checked<Output> | Promise<Checked<Output>>;
    readonly jsonSchema?: { input(options: { target: 'draft-2020-12' }): Record<string, unknown> };
  };
};
type Checked<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

export type OutputSchema = JsonObject | DescribedSchema;

/** The type of a result: of a library's schema what it makes of it, else any JSON. */
export type ResultOf<Schema extends OutputSchema> = Schema extends DescribedSchema<infer Output> ? Output : Json;

function isDescribed(schema: OutputSchema): schema is DescribedSchema {
  return '~standard' in schema;
}

/** @throws `bad_schema` for a schema that cannot describe itself. */
export function jsonSchemaOf(schema: OutputSchema): JsonObject {
  if (!isDescribed(schema)) return schema;
  const described = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  if (described === undefined) {
    throw new PawlError(
      'bad_schema',
      'The outputSchema cannot describe itself as JSON Schema. Give it as JSON Schema.',
    );
  }
  // What is written by hand has no `$schema` either.
  const { $schema: _, ...plain } = described as JsonObject;
  return plain;
}

/** A result as the schema's library makes it: with defaults, transformed. @throws `bad_result`. */
export async function resultBy(schema: OutputSchema | undefined, result: Json | undefined): Promise<unknown> {
  if (schema === undefined || result === undefined || !isDescribed(schema)) return result;
  const checked = await schema['~standard'].validate(result);
  if (checked.issues === undefined) return checked.value;
  const faults = checked.issues.map(({ message }) => message).join(' ');
  throw new PawlError('bad_result', `The result does not satisfy the outputSchema: ${faults}`);
}
