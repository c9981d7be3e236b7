import * as z from 'zod/mini';
import { settings } from './settings.ts';

const description =
  "The user's settings: config.yaml in $XDG_CONFIG_HOME/pawl (~/.config/pawl), or the file that PAWL_CONFIG names. A project's settings, .pawl/config.yaml, have the same form; of those, only what does not widen what Pawl may do takes effect.";

/** The settings as a JSON Schema (2020-12), for editors: `config.schema.json` beside this file. */
export function settingsJsonSchema(): object {
  return {
    title: 'Pawl configuration',
    description,
    ...z.toJSONSchema(settings, { io: 'input', override: ({ jsonSchema }) => withoutLargestNumber(jsonSchema) }),
  };
}

/** That whole numbers are exact is no bound that a person wants to read. */
function withoutLargestNumber(schema: { maximum?: number }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
