/**
 * What Pawl itself writes into guarded places, on behalf of a person: a rule that is kept, an approved edit. A command
 * that runs meanwhile did not make it, whichever Pawl it belongs to, so other processes can read it too.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObeyed } from '@pawl/policy';
import { recordFolder, recordFolders } from './records.ts';

const fileName = 'written';

/** To be called before it is written. Costs nothing for paths that nobody obeys. */
export function noteOwnWrite(path: string): void {
  if (!isObeyed(path, { cwd: '/', home: '/nonexistent' })) return;
  try {
    appendFileSync(join(recordFolder(), fileName), `${JSON.stringify(path)}\n`);
  } catch {
    // Without a record, it may be moved aside by a command that runs now, which says so.
  }
}

/** Whether something was written into the same folder, as what is written is put together beside its place; also by another Pawl that runs. */
export function isMadeByPawl(path: string): boolean {
  return recordFolders().some(({ folder }) => {
    try {
      const lines = readFileSync(join(folder, fileName), 'utf8').trim().split('\n');
      return lines.some((line) => dirname(JSON.parse(line)) === dirname(path));
    } catch {
      // It has written nothing.
      return false;
    }
  });
}
