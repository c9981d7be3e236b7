/** Appends records of three events to a session for ever, and prints the last sequence number after each that is acknowledged. */
import { writeSync } from 'node:fs';
import { sqliteLog } from '@pawl/storage';
import { stages } from '../events.ts';

const [path = '', session = ''] = process.argv.slice(2);
const log = sqliteLog({ path });
let seq = (await log.read(session)).length;
for (;;) {
  await log.append(session, seq, stages(session, seq, 3));
  seq += 3;
  writeSync(1, `${seq}\n`);
}
