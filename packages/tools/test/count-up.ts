/** A program for tests: counts up a number in a file by reading and editing it, and again wherever somebody was faster. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolContext } from '@pawl/engine';
import { isPawlError } from '@pawl/protocol';
import { editTool } from '../src/files/edit.ts';
import { digestOf } from '../src/files/regular-file.ts';
import { withDefaults } from '../src/options.ts';

const [folder = '', times = ''] = process.argv.slice(2);
const file = join(folder, 'count');

if (folder !== '') {
  const tool = editTool(withDefaults());
  for (let done = 0; done < Number(times); ) {
    const bytes = readFileSync(file);
    const count = Number(bytes.toString());
    const context: ToolContext = {
      session: 's',
      cwd: folder,
      call: 'c',
      signal: new AbortController().signal,
      blobs: { get: async () => null, put: async () => '' },
      lastSeen: () => digestOf(bytes),
      paths: [],
      basis: null,
      progress: () => undefined,
    };
    try {
      await tool.run({ path: 'count', old: `${count}\n`, new: `${count + 1}\n` }, context);
      done++;
    } catch (error) {
      if (!isPawlError(error, 'stale') && !isPawlError(error, 'outdated')) throw error;
    }
  }
}
