/** Records the corpus of the release that package.json names. See README.md. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteLog } from '@pawl/storage';
import { everyEvent } from './story.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const folder = join(import.meta.dirname, `v${version}`);
if (existsSync(folder)) {
  console.error(`${folder} exists. What a release recorded stays as it is; raise the version first.`);
  process.exit(1);
}
mkdirSync(folder);
const path = join(folder, 'every-event.db');
const log = sqliteLog({ path });
const events = everyEvent('every-event', await log.put(Buffer.from('the whole output')));
for (let seq = 0; seq < events.length; seq += 3) await log.append('every-event', seq, events.slice(seq, seq + 3));
await log.close();
rmSync(`${path}.locks`, { recursive: true });
writeFileSync(join(folder, 'every-event.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
