import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from '@pawl/engine';
import { refuseUnjudged } from './disk/deed.ts';
import { escapeName } from './escape.ts';
import { fileFailure } from './failures.ts';
import { isInWorkspace, resolvePlace } from './paths.ts';
import { defineTool, objectSchema } from './tool.ts';

type ListInput = { path?: string };

const mostEntries = 500;

/** Names what is in a folder, hidden things too. */
export function listTool(): Tool {
  return defineTool<ListInput>({
    name: 'list',
    description: 'Lists a folder, one name a line; folders end with /.',
    input: objectSchema({ path: { type: 'string', description: 'Default: the working folder' } }, []),
    isOutside: true,
    effect: 'read',
    subjectKind: 'path',
    subject: ({ path = '.' }) => path,
    paths: async ({ path = '.' }, { cwd }) => [(await resolvePlace(path, cwd)).path],
    approval: async ({ path = '.' }, { cwd }) => !(await isInWorkspace((await resolvePlace(path, cwd)).path, cwd)),
    run: async ({ path = '.' }, context) => {
      const place = await resolvePlace(path, context.cwd);
      refuseUnjudged(place, context);
      const entries = await readdir(place.path, { withFileTypes: true }).catch((error: unknown) => {
        throw fileFailure(error, place.shown);
      });
      entries.sort((one, other) => (one.name < other.name ? -1 : 1));
      const shown = await Promise.all(
        entries.slice(0, mostEntries).map(async (entry) => {
          const isFolder =
            entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(join(place.path, entry.name))));
          return escapeName(entry.name) + (isFolder ? '/' : '');
        }),
      );
      if (entries.length > mostEntries)
        shown.push(`(${mostEntries} of ${entries.length} entries; use glob to find others)`);
      return { content: entries.length === 0 ? '(empty)' : shown.join('\n'), details: { entries: entries.length } };
    },
  });
}

/** False for a link to nothing. */
const leadsToFolder = (path: string) =>
  stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  );
