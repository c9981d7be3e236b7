/** Claims a session, writes to it once for every line it is told, and ends with its input. */
import { createInterface } from 'node:readline';
import { isPawlError } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { stages } from '../events.ts';

const [path = '', session = ''] = process.argv.slice(2);
const log = sqliteLog({ path });
await log.claim(session);
console.log('claimed');
for await (const line of createInterface({ input: process.stdin })) {
  const seq = Number(line);
  try {
    await log.append(session, seq, stages(session, seq, 1));
    console.log(`appended ${seq + 1}`);
  } catch (error) {
    if (!isPawlError(error)) throw error;
    console.log(error.code);
  }
}
