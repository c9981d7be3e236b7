import { access, constants, lstat, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Tool, ToolContext, ToolOutcome, ToolPlan, ToolScope } from '@pawl/engine';
import { isInside } from '@pawl/policy';
import { isPawlError, type Json, messageOf, PawlError } from '@pawl/protocol';
import { escapeName } from '../escape.ts';
import { asFileFailure, systemCode } from '../failures.ts';
import type { ToolOptions } from '../options.ts';
import { type Place, resolveEntry, resolvePlace } from '../paths.ts';
import { defineTool, objectSchema } from '../tool.ts';
import { markOf } from './change.ts';
import { oneAtATime } from './disk/one-at-a-time.ts';
import { outdated, type ParentFolder, parentFolderOf, refuseUnjudged, removeLeftovers } from './disk/operation.ts';
import { type Entry, entriesIn, keepEntries, marksOf, unkeptOf } from './tree.ts';

type DeleteInput = { path: string; recursive?: boolean };

const maxShown = 50;

/** Removes a file, a symlink (not what it points to) or a folder. */
export function deleteTool(options: ToolOptions): Tool {
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
    plan: (input, scope) => plan(input, scope, options),
    run: (input, context) => run(input, context, options),
    reconcile,
  });
}

/** All that a call would remove, in the order of removing: contents before their folder, the named thing last. */
const entriesOf = (place: Place, { recursive = false }: DeleteInput) =>
  entriesIn(place.path, place.shown, { recursive });

async function refuseWorkspace(place: Place, cwd: string): Promise<void> {
  const folder = await resolvePlace(resolve(cwd), cwd);
  if (isInside(place.path, folder.path)) {
    throw new PawlError(
      'refused',
      `${place.shown} is the folder of this session, or one around it, and is not deleted.`,
    );
  }
}

async function plan(input: DeleteInput, { cwd }: ToolScope, options: ToolOptions): Promise<ToolPlan> {
  const place = await resolveEntry(input.path, cwd);
  await refuseWorkspace(place, cwd);
  const entries = await entriesOf(place, input);
  const basis = marksOf(entries);
  const preview = { kind: 'text' as const, text: previewText(place, entries, options) };
  return { preview, basis, evidence: { path: place.path, basis } };
}

function previewText(place: Place, entries: readonly Entry[], { maxFileBytes }: ToolOptions): string {
  const files = entries.filter(({ kind }) => kind !== 'folder');
  const count = entries.length === 1 ? '' : ` with ${files.length} files in ${entries.length - files.length} folders`;
  const contents = files.slice(0, maxShown).map(({ path }) => `- ${escapeName(path.slice(place.path.length + 1))}`);
  if (files.length > maxShown) contents.push(`- and ${files.length - maxShown} more`);
  const unkept = unkeptOf(entries, maxFileBytes);
  return [
    `Delete ${place.shown}${count}`,
    ...(entries.length === 1 ? [] : contents),
    ...(unkept.length > 0 ? [`${unkept.length} of them too large to be kept for undo`] : []),
  ].join('\n');
}

async function run(input: DeleteInput, context: ToolContext, options: ToolOptions): Promise<ToolOutcome> {
  const place = await resolveEntry(input.path, context.cwd);
  await refuseWorkspace(place, context.cwd);
  const entries = await entriesOf(place, input);
  const isJudged = context.basis === null || context.basis === marksOf(entries);
  if (!isJudged) throw outdated(place.shown);
  refuseUnjudged(place, context);
  const before = await keepEntries(entries, options.maxFileBytes, context);
  const rest = await oneAtATime([place.path], () => moveAside(place, entries, input, context));
  const details = { files: Object.fromEntries(entries.map(({ path }) => [path, null])), before };
  const sentence = `Deleted ${place.shown}${entries.length > 1 ? ` with ${entries.length - 1} entries` : ''}.`;
  return { content: rest === null ? sentence : `${sentence} ${rest}`, details };
}

/**
 * The thing loses its name in one call of the system, so all of it is gone or none. Only what is then still as it was
 * judged is removed; else it gets its name back.
 * @returns a sentence about what could not be removed then, or null.
 */
async function moveAside(
  place: Place,
  entries: readonly Entry[],
  input: DeleteInput,
  context: ToolContext,
): Promise<string | null> {
  const parent = parentFolderOf(place, markOf(context));
  const refuseChanged = async (path: string) => {
    const now = await entriesIn(path, place.shown, { recursive: input.recursive === true });
    if (marksOf(now) !== marksOf(entries)) throw outdated(place.shown);
  };
  let isAside = false;
  let aside = '';
  try {
    const folder = await parent.open();
    aside = escapeName(join(dirname(place.shown), basename(parent.former())));
    for (const { path, kind } of entries) {
      if (kind === 'folder') await access(path, constants.W_OK | constants.X_OK);
    }
    context.signal.throwIfAborted();
    await refuseChanged(place.path);
    if (!(await folder.isInPlace())) throw outdated(place.shown);
    await rename(parent.target(), parent.former());
    isAside = true;
    await refuseChanged(parent.former());
  } catch (error) {
    if (isAside && !(await putBack(parent).catch(() => false))) {
      const sentence = `What was there lies in ${aside}, and could not get its name back.`;
      await parent.close();
      throw new PawlError('half_done', `${messageOf(error)} ${sentence}`, { cause: error });
    }
    await parent.leave(false);
    throw context.signal.aborted ? error : asFileFailure(error, place.shown);
  }
  try {
    await parent.leave(true);
    return null;
  } catch (error) {
    return `What was in it could not all be removed and lies in ${aside}: ${messageOf(error)}`;
  }
}

/** False where something else has taken its name. @throws what the system says. */
async function putBack(parent: ParentFolder): Promise<boolean> {
  if (await isThere(parent.target())) return false;
  await rename(parent.former(), parent.target());
  return true;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

async function reconcile(
  input: DeleteInput,
  evidence: Json,
  scope: ToolScope,
): Promise<ToolOutcome | 'not_done' | null> {
  if (typeof evidence !== 'object' || evidence === null || Array.isArray(evidence)) return null;
  const { path, basis } = evidence;
  if (typeof path !== 'string') return null;
  const place = { path, shown: (await resolveEntry(input.path, scope.cwd)).shown };
  if (!(await isThere(path)) && !(await undoneAside(place, input, basis, scope))) {
    await removeLeftovers(path, markOf(scope));
    return {
      content: `Deleted ${place.shown}. The program was interrupted right after, and found it gone.`,
      details: { files: { [path]: null }, before: { [path]: { kind: 'lost', reason: 'the program was interrupted' } } },
    };
  }
  return marksOf(await entriesOf(place, input)) === basis ? 'not_done' : null;
}

/** Whether what was only moved aside, and is whole, has its name again: so it is kept for undo when it is deleted anew. */
async function undoneAside(place: Place, input: DeleteInput, basis: Json | undefined, scope: ToolScope) {
  const parent = parentFolderOf(place, markOf(scope));
  try {
    await parent.open();
    const entries = await entriesIn(parent.former(), place.shown, { recursive: input.recursive === true });
    return marksOf(entries) === basis && (await putBack(parent));
  } catch (error) {
    if (isPawlError(error) || systemCode(error) === 'ENOENT') return false;
    throw error;
  } finally {
    await parent.close();
  }
}
