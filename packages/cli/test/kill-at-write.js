/**
 * Loaded into the program before anything else (`node --import`): kills it as by `kill -9`, before or after the Nth
 * write to its database.
 */
import { StatementSync } from 'node:sqlite';

const [when, count] = (process.env.PAWL_TEST_KILL ?? '').split(' ');
let writes = 0;
const { run } = StatementSync.prototype;
StatementSync.prototype.run = function (...values) {
  writes += 1;
  if (writes !== Number(count)) return run.apply(this, values);
  if (when === 'after') run.apply(this, values);
  process.kill(process.pid, 'SIGKILL');
};
