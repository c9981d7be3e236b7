/** Writes the protocol's JSON Schema beside its sources. Run after a change of the schemas: `npm run schema`. */
import { writeFileSync } from 'node:fs';
import { protocolJsonSchema } from '@pawl/protocol/schemas';

const target = new URL('../packages/protocol/schema.json', import.meta.url);
writeFileSync(target, `${JSON.stringify(protocolJsonSchema(), null, 2)}\n`);
console.log('Wrote packages/protocol/schema.json.');
