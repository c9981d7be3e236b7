/** What the person and the project have written down for agents: AGENTS.md, where there is none CLAUDE.md. */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Fragment } from '@pawl/protocol';
import { messageOf, untrusted } from '@pawl/protocol';
import { escapeName, withoutDeceit } from '../escape.ts';
import { type Read, readText } from './files.ts';

/** Of all files together, bytes. */
const maxBytes = 32 * 1024;
/** In one folder the first that is there counts. */
const names = ['AGENTS.md', 'CLAUDE.md'] as const;
/** What a link of a project may lead to. */
const markdown = /\.(?:md|mdc|markdown)$/i;
/** Folders from the root down to the one of the work, at most. */
const maxFolders = 64;

type Notice = (message: string) => void;
type Found = Read & { name: string; path: string };

/**
 * One piece for each file: the user's own, then from the root of the repository (of the file system, outside of one)
 * down, the nearest last. Where they are too long together, the nearest are kept.
 */
export async function readInstructions(cwd: string, userFolder: string | null, notice: Notice): Promise<Fragment[]> {
  const { folders, root } = await foldersDownTo(cwd);
  const found: Found[] = [];
  if (userFolder !== null) found.push(...(await inFolder(userFolder, null, notice)));
  for (const folder of folders) found.push(...(await inFolder(folder, root ?? folder, notice)));
  return shorten(withoutTwins(found), notice).map(({ name, path, text }) => ({
    region: 'instructions',
    name,
    text: instructionsText(path, text),
    source: path,
  }));
}

/** What a project says to agents, as a model is shown it. */
export function instructionsText(path: string, text: string): string {
  return untrusted('instructions', escapeName(path), withoutDeceit(text).trim());
}

/** The folders from the root of the repository, or of everything, down to this one. */
async function foldersDownTo(cwd: string): Promise<{ folders: string[]; root: string | null }> {
  const start = await realpath(cwd).catch(() => cwd);
  const folders: string[] = [];
  for (let folder = start; folders.length < maxFolders; folder = dirname(folder)) {
    folders.unshift(folder);
    const isRoot = await lstat(join(folder, '.git')).then(
      () => true,
      () => false,
    );
    if (isRoot) return { folders, root: folder };
    if (dirname(folder) === folder) break;
  }
  return { folders, root: null };
}

async function inFolder(folder: string, within: string | null, notice: Notice): Promise<Found[]> {
  for (const name of names) {
    const path = join(folder, name);
    try {
      const read = await readText(path, maxBytes, within, markdown);
      if (read === null) continue;
      return read.text.trim() === '' ? [] : [{ ...read, name, path }];
    } catch (error) {
      notice(`${escapeName(path)} is left out: ${messageOf(error)}.`);
      return [];
    }
  }
  return [];
}

/** A link to what was read already says nothing new. */
function withoutTwins(found: readonly Found[]): Found[] {
  return found.filter(({ text }, index) => !found.slice(index + 1).some((later) => later.text === text));
}

function shorten(found: readonly Found[], notice: Notice): Found[] {
  let left = maxBytes;
  const kept: Found[] = [];
  for (const file of found.toReversed()) {
    const length = Buffer.byteLength(file.text);
    const text = length <= left ? file.text : beginningOf(file.text, left);
    // A line or two of what is farther away would say nothing.
    left = text.length < file.text.length ? 0 : left - Buffer.byteLength(text);
    const isCut = file.isCut || text.length < file.text.length;
    if (text === '') {
      notice(`${escapeName(file.path)} is left out: nearer ones use up the ${maxBytes / 1024} KB there are for them.`);
      continue;
    }
    if (isCut) notice(`${escapeName(file.path)} is cut: all together have ${maxBytes / 1024} KB.`);
    const said = `[Cut here: these are the first ${Buffer.byteLength(text)} of ${file.bytes} bytes. Read the file for the rest.]`;
    kept.unshift({ ...file, text: isCut ? `${text.trimEnd()}\n${said}` : text });
  }
  return kept;
}

/** As many whole lines as fit into so many bytes. */
function beginningOf(text: string, bytes: number): string {
  const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, Math.max(0, bytes)), { stream: true });
  const end = cut.lastIndexOf('\n');
  return end < 0 ? cut : cut.slice(0, end + 1);
}
