/** Puts paths back: all of them or none. */
import type { FormerEntry } from '@pawl/engine';
import { isInside } from '@pawl/policy';
import { messageOf, PawlError } from '@pawl/protocol';
import type { Place } from '../../paths.ts';
import { makeFolder, makeLink, removeFolder, removeLink } from '../disk/entry-operations.ts';
import { putFile, removeFile } from '../disk/file-operations.ts';
import type { Operation, OperationOptions } from '../disk/operation.ts';
import { transact } from '../disk/transact.ts';
import type { Standing } from './standing.ts';

/** One path that can be put back. */
export type Step = {
  place: Place;
  now: Standing;
  /** Where it is a file, with its content. */
  target: FormerEntry;
  bytes: Buffer | null;
  mode: number | null;
  /** What the log says of it afterwards. */
  recorded: string | null;
};

/** Whether something else stands there than what is to stand there, so that it has to go first. */
export const changesKind = ({ now, target }: Step): boolean =>
  target !== null && now.kind !== 'nothing' && now.kind !== target.kind;

type Options = { mark: string; signal: AbortSignal };

/** @returns sentences about what could not be cleaned up. @throws with everything as it was; `half_done` when even that failed. */
export async function carryOut(
  steps: readonly Step[],
  madeFolders: readonly Place[],
  { mark, signal }: Options,
): Promise<string[]> {
  const changing = steps.filter(changesKind);
  if (changing.length === 0) return (await transact(operationsOf(steps, madeFolders, mark), signal)).leftovers;
  const isInOne = ({ path }: Place) => changing.some(({ place }) => isInside(place.path, path));
  const isOne = ({ path }: Place) => changing.some(({ place }) => place.path === path);
  const going = [...changing.map(toNothing), ...steps.filter((step) => step.target === null && isInOne(step.place))];
  const coming = steps
    .filter((step) => !(step.target === null && isInOne(step.place)))
    .map((step): Step => (changesKind(step) ? { ...step, now: { kind: 'nothing' } } : step));
  const folders = madeFolders.filter((place) => !isOne(place));
  const first = await transact(operationsOf(going, folders.filter(isInOne), mark), signal);
  try {
    const others = folders.filter((place) => !isInOne(place));
    const { leftovers } = await transact(operationsOf(coming, others, mark), signal);
    return [...first.leftovers, ...leftovers];
  } catch (error) {
    await putBack(going, mark, error);
    throw error;
  }
}

const toNothing = (step: Step): Step => ({ ...step, target: null, bytes: null, mode: null });

async function putBack(gone: readonly Step[], mark: string, cause: unknown): Promise<void> {
  const steps = gone.map((step): Step => {
    const { now } = step;
    switch (now.kind) {
      case 'file': {
        const { bytes, digest, mode } = now.file;
        return { ...step, now: { kind: 'nothing' }, target: { kind: 'file', digest, mode }, bytes, mode };
      }
      case 'link':
      case 'folder':
        return { ...step, now: { kind: 'nothing' }, target: now };
      case 'nothing':
      case 'other':
        return step;
      default:
        return now satisfies never;
    }
  });
  try {
    await transact(operationsOf(steps, [], mark), new AbortController().signal);
  } catch (error) {
    const names = gone.map(({ place }) => place.shown).join(', ');
    const message = `${messageOf(cause)} ${names} had been taken away and could not be put back: ${messageOf(error)}`;
    throw new PawlError('half_done', message, { cause });
  }
}

/**
 * Folders first, the outer before the inner: what is staged first is cleaned up last, and a folder can only go, or get
 * its own rights back, when all is done in it.
 */
function operationsOf(steps: readonly Step[], madeFolders: readonly Place[], mark: string): Operation[] {
  const options: OperationOptions = { mark, isAlone: steps.length === 1 };
  const isFolder = ({ now, target }: Step) => (target === null ? now.kind === 'folder' : target.kind === 'folder');
  const folders = [
    ...steps.filter(isFolder).map((step) => ({ place: step.place, operation: operationFor(step, options) })),
    ...madeFolders.map((place) => ({ place, operation: removeFolder(place, options) })),
  ].sort((one, other) => (one.place.path < other.place.path ? -1 : 1));
  return [
    ...folders.map(({ operation }) => operation),
    ...steps.filter((step) => !isFolder(step)).map((step) => operationFor(step, options)),
  ];
}

function operationFor({ place, now, target, bytes, mode }: Step, options: OperationOptions): Operation {
  switch (target?.kind) {
    case 'file': {
      if (bytes === null) throw new Error(`no content for ${place.path}`);
      const before = now.kind === 'file' ? now.file : null;
      return putFile({ place, bytes, before, ...(mode !== null && { mode }) }, options);
    }
    case 'link':
      return makeLink(place, target.target, options);
    case 'folder':
      return makeFolder(place, target.mode, options);
    case 'lost':
    case undefined:
      if (now.kind === 'file') return removeFile({ place, before: now.file }, options);
      if (now.kind === 'link') return removeLink(place, now.target, options);
      return removeFolder(place, options);
    default:
      return target satisfies never;
  }
}
