import { createHash } from 'node:crypto';
import { lstat, readdir, readlink, rmdir, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Tool, ToolContext, ToolOutcome, ToolPlan, ToolScope } from '@pawl/engine';
import { isInside } from '@pawl/policy';
import { isPawlError, type Json, PawlError } from '@pawl/protocol';
import { escapeName } from './escape.ts';
import { fileFailure, systemCode } from './failures.ts';
import { type Place, resolveEntry, resolvePlace } from './paths.ts';
import { defineTool, objectSchema } from './tool.ts';

type DeleteInput = { path: string; recursive?: boolean };

/** Entries of a folder beyond which it is not deleted in one call: nobody could judge such a list. */
const mostEntries = 1000;
const mostShown = 50;

/** Removes a file, a symlink (not what it points to) or a folder. */
export function deleteTool(): Tool {
  return defineTool<DeleteInput>({
    name: 'delete',
    description: 'Deletes a file or an empty folder; with recursive, a folder with all that is in it.',
    input: objectSchema({ path: { type: 'string' }, recursive: { type: 'boolean' } }, ['path']),
    // A whole tree is no edit: no mode but `auto` answers for it.
    effect: ({ recursive }) => (recursive === true ? 'external' : 'write'),
    subjectKind: 'path',
    subject: ({ path }) => path,
    paths: async (input, { cwd }) => {
      const place = await resolveEntry(input.path, cwd);
      const entries = await entriesOf(place, input).catch((error: unknown) => {
        // What cannot be listed cannot be deleted either; the plan says so.
        if (isPawlError(error)) return [];
        throw error;
      });
      return [place.path, ...entries.slice(0, -1).map((entry) => entry.path)];
    },
    plan,
    run,
    reconcile,
  });
}

/** `mark` changes whenever what stands there does. */
type Entry = { path: string; isFolder: boolean; mark: string };

/** All that a call would remove, in the order of removing: contents before their folder, the named thing last. */
async function entriesOf(place: Place, { recursive = false }: DeleteInput): Promise<Entry[]> {
  const entries: Entry[] = [];
  const visit = async (path: string): Promise<void> => {
    const status = await lstat(path);
    const isFolder = status.isDirectory();
    const target = status.isSymbolicLink() ? await readlink(path) : '';
    if (isFolder) {
      const names = await readdir(path);
      if (names.length > 0 && !recursive) {
        throw new PawlError(
          'not_empty',
          `${place.shown} is a folder with ${names.length} entries. Set recursive to delete it with all of them.`,
        );
      }
      for (const name of names.sort((one, other) => (one < other ? -1 : 1))) await visit(join(path, name));
    }
    const size = isFolder ? '' : `${status.size}:${status.mtimeMs}`;
    entries.push({ path, isFolder, mark: `${path}\0${status.mode}\0${size}\0${target}` });
    if (entries.length > mostEntries) {
      throw new PawlError(
        'too_many',
        `${place.shown} holds more than ${mostEntries} files and folders. Delete its parts one by one, or use bash.`,
      );
    }
  };
  await visit(place.path).catch((error: unknown) => {
    throw isPawlError(error) ? error : fileFailure(error, place.shown);
  });
  return entries;
}

const basisOf = (entries: readonly Entry[]) => {
  const hash = createHash('sha256');
  for (const { mark } of entries) hash.update(`${mark}\0`);
  return `sha256-${hash.digest('hex')}`;
};

async function refuseWorkspace(place: Place, cwd: string): Promise<void> {
  const folder = await resolvePlace(resolve(cwd), cwd);
  if (isInside(place.path, folder.path)) {
    throw new PawlError(
      'refused',
      `${place.shown} is the folder of this session, or one around it, and is not deleted.`,
    );
  }
}

async function plan(input: DeleteInput, { cwd }: ToolScope): Promise<ToolPlan> {
  const place = await resolveEntry(input.path, cwd);
  await refuseWorkspace(place, cwd);
  const entries = await entriesOf(place, input);
  const files = entries.filter(({ isFolder }) => !isFolder);
  const count = entries.length === 1 ? '' : ` with ${files.length} files in ${entries.length - files.length} folders`;
  const contents = files.slice(0, mostShown).map(({ path }) => `- ${escapeName(path.slice(place.path.length + 1))}`);
  if (files.length > mostShown) contents.push(`- and ${files.length - mostShown} more`);
  const text = [`Delete ${place.shown}${count}`, ...(entries.length === 1 ? [] : contents)].join('\n');
  const basis = basisOf(entries);
  return { preview: { kind: 'text', text }, basis, evidence: { path: place.path, basis } };
}

async function run(input: DeleteInput, context: ToolContext): Promise<ToolOutcome> {
  const place = await resolveEntry(input.path, context.cwd);
  await refuseWorkspace(place, context.cwd);
  const entries = await entriesOf(place, input);
  const isJudged = context.basis === null || context.basis === basisOf(entries);
  if (!isJudged || (context.paths.length > 0 && !context.paths.includes(place.path))) {
    throw new PawlError(
      'outdated',
      `${place.shown} is not as it was when its deletion was judged. Nothing was deleted.`,
    );
  }
  const gone: string[] = [];
  for (const { path, isFolder } of entries) {
    try {
      context.signal.throwIfAborted();
      await (isFolder ? rmdir(path) : unlink(path));
    } catch (error) {
      const failure = context.signal.aborted ? 'Cancelled.' : fileFailure(error, escapeName(path)).message;
      const so =
        gone.length === 0 ? 'Nothing was deleted' : `${gone.length} of ${entries.length} entries were deleted before`;
      return { isError: true, content: `${failure} ${so}.`, details: { files: filesOf(gone) } };
    }
    gone.push(path);
  }
  return {
    content: `Deleted ${place.shown}${gone.length > 1 ? ` with ${gone.length - 1} entries` : ''}.`,
    details: { files: filesOf(gone) },
  };
}

const filesOf = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, null]));

async function reconcile(
  input: DeleteInput,
  evidence: Json,
  { cwd }: ToolScope,
): Promise<ToolOutcome | 'not_done' | null> {
  if (typeof evidence !== 'object' || evidence === null || Array.isArray(evidence)) return null;
  const { path, basis } = evidence;
  if (typeof path !== 'string') return null;
  const place = { path, shown: (await resolveEntry(input.path, cwd)).shown };
  try {
    await lstat(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') return null;
    return {
      content: `Deleted ${place.shown}. The program was interrupted right after, and found it gone.`,
      details: { files: { [path]: null } },
    };
  }
  return basisOf(await entriesOf(place, input)) === basis ? 'not_done' : null;
}
