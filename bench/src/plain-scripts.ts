import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

/**
 * Writes the scripts that time a start as plain JavaScript, and gives the path of the one to run. A user of a peer
 * would run JavaScript; Node's own stripping of types costs more at each start than some peers do.
 */
export const plainScripts = async (peers: readonly string[]): Promise<string> => {
  const source = import.meta.dirname;
  // Inside this package, so that the peers are found.
  const target = join(source, '../results/plain');
  await mkdir(join(target, 'runners'), { recursive: true });
  const names = ['first-request', 'runner', ...peers.map((peer) => `runners/${peer}`)];
  await Promise.all(
    names.map(async (name) => {
      const typed = await readFile(join(source, `${name}.ts`), 'utf8');
      const plain = stripTypeScriptTypes(typed).replace(/(['`]\.{1,2}\/[^'`\s]+)\.ts(?=['`])/g, '$1.js');
      await writeFile(join(target, `${name}.js`), plain);
    }),
  );
  return join(target, 'first-request.js');
};
