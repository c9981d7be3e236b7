import { readdir, stat } from 'node:fs/promises';
import type { Tool } from '@pawl/engine';
import { escapeName } from '../escape.ts';
import { asFileFailure } from '../failures.ts';
import { openFolder } from '../files/disk/open-folder.ts';
import { refuseUnjudged } from '../files/disk/operation.ts';
import { judgedPlace, leadsOutside, type Place, resolvePlace } from '../paths.ts';
import { defineTool, objectSchema } from '../tool.ts';

type ListInput = { path?: string };

const maxEntries = 500;

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
    paths: async ({ path = '.' }, scope) => [(await judgedPlace(path, scope)).path],
    approval: ({ path = '.' }, scope) => leadsOutside(path, scope),
    run: async ({ path = '.' }, context) => {
      const place = await resolvePlace(path, context.cwd);
      refuseUnjudged(place, context);
      const { names, count } = await namesIn(place).catch((error: unknown) => {
        throw asFileFailure(error, place.shown);
      });
      if (count > names.length) names.push(`(${names.length} of ${count} entries; use glob to find others)`);
      return { content: count === 0 ? '(empty)' : names.join('\n'), details: { entries: count } };
    },
  });
}

/** Of the very folder that was judged, also if another takes its name meanwhile. */
async function namesIn(place: Place): Promise<{ names: string[]; count: number }> {
  const folder = await openFolder(place.path);
  try {
    const entries = await readdir(folder.entry('.'), { withFileTypes: true });
    entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    const names = await Promise.all(
      entries.slice(0, maxEntries).map(async (entry) => {
        const isFolder =
          entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(folder.entry(entry.name))));
        return escapeName(entry.name) + (isFolder ? '/' : '');
      }),
    );
    return { names, count: entries.length };
  } finally {
    await folder.close();
  }
}

/** False for a link to nothing. */
const leadsToFolder = (path: string) =>
  stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  );
