/** Writes the JSON Schemas that are published beside their sources. Run after a change of the schemas: `npm run schema`. */
import { writeFileSync } from 'node:fs';
import { protocolJsonSchema } from '@pawl/protocol/schemas';
import { settingsJsonSchema } from '../packages/cli/src/config/schema/json-schema.ts';

const published = {
  'packages/protocol/schema.json': protocolJsonSchema(),
  'packages/cli/src/config/schema/config.schema.json': settingsJsonSchema(),
};
for (const [path, schema] of Object.entries(published)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`);
  console.log(`Wrote ${path}.`);
}
