/** Opens a log with a further migration that is never finished: it has written half of what it should when it stops. */
import { writeSync } from 'node:fs';
import { openSqliteLog } from '../../src/sqlite/log.ts';
import { migrations } from '../../src/sqlite/migrations.ts';

const [path = ''] = process.argv.slice(2);
openSqliteLog({ path }, [
  ...migrations,
  (database) => {
    database.exec('CREATE TABLE notes (text TEXT); INSERT INTO notes SELECT body FROM records; DELETE FROM records;');
    // Enough pages that some of them reach the file before the end.
    database.exec('PRAGMA cache_size = 1; INSERT INTO notes SELECT hex(zeroblob(200000)) FROM notes;');
    writeSync(1, 'half-way\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
]);
