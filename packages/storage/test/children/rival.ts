/** Appends until it has won 50 places in a session that others write to as well, and prints those it won. */
import { isPawlError } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { place, stage } from '../events.ts';

const [path = '', session = '', name = ''] = process.argv.slice(2);
const log = sqliteLog({ path });
const won: number[] = [];
while (won.length < 50) {
  const seq = (await log.read(session)).length;
  try {
    await log.append(session, seq, place(session, seq, [stage(name), stage(name)]));
    won.push(seq + 1);
  } catch (error) {
    if (!isPawlError(error, 'conflict')) throw error;
  }
}
await log.close();
console.log(JSON.stringify(won));
