/** Pieces of the system prompt from a folder: `prompts/<name>.md`. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Piece, promptCategories, promptConditions } from '@pawl/engine';
import { messageOf } from '@pawl/protocol';
import { systemCode } from '../failures.ts';
import { readText } from './files.ts';

/** One file as it is. */
export type PromptFile = { name: string; path: string; text: string };

const maxFiles = 50;
const maxBytes = 32 * 1024;
const fileName = /^([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.md$/;

/** Those of a folder, in the order of their names; none where there is no such folder. */
export async function readPromptFolder(
  folder: string,
  notice: (message: string) => void,
  within: string | null = null,
): Promise<PromptFile[]> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) notice(`${folder} is left out: ${messageOf(error)}`);
    return [];
  });
  const files: PromptFile[] = [];
  const wanted = entries.filter((entry) => fileName.test(entry)).sort();
  if (wanted.length > maxFiles) notice(`${folder}: only the first ${maxFiles} files are read.`);
  for (const entry of wanted.slice(0, maxFiles)) {
    const path = join(folder, entry);
    try {
      const read = await readText(path, maxBytes, within);
      if (read === null) continue;
      if (read.isCut) throw new Error(`it has more than ${maxBytes / 1024} KB`);
      files.push({ name: fileName.exec(entry)?.[1] ?? entry, path, text: read.text });
    } catch (error) {
      notice(`${path} is left out: ${messageOf(error)}.`);
    }
  }
  return files;
}

/**
 * A file as a piece. It may begin with lines between `---`: `category`, and as words with commas `agents` and `when`.
 * @throws what is wrong, with its line.
 */
export function pieceOf({ name, path, text }: PromptFile): Piece {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : 0;
  if (end < 0) throw new Error('line 1: the head that begins here has no end, a line with ---');
  const body = lines.slice(end === 0 ? 0 : end + 1).join('\n');
  const settings = lines
    .slice(1, Math.max(1, end))
    .map((line, index) => (line.trim() === '' || line.startsWith('#') ? {} : setting(line, index + 2)));
  return Object.assign({ name, category: 'custom' as const, source: path, text: body }, ...settings);
}

function setting(line: string, number: number): Partial<Piece> {
  const [, key = '', value = ''] = /^([a-z]+):\s*(.*)$/.exec(line.trim()) ?? [];
  const words = value
    .replace(/^\[(.*)\]$/, '$1')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const among = <Word extends string>(known: readonly Word[]): Word[] =>
    words.map((word) => {
      const found = known.find((one) => one === word);
      if (found === undefined) throw new Error(`line ${number}: "${word}" is none of ${known.join(', ')}`);
      return found;
    });
  switch (key) {
    case 'category':
      return { category: among(promptCategories)[0] ?? 'custom' };
    case 'agents':
      return { agents: words };
    case 'when':
      return { when: among(promptConditions) };
    default:
      throw new Error(`line ${number}: there is no setting "${key || line}"; there are category, agents and when`);
  }
}
