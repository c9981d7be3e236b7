import { PawlError } from '@pawl/protocol';
import { isEnvelope, parseEnvelope } from './envelope.ts';
import type { FilePatch } from './types.ts';
import { parseUnified } from './unified.ts';

const maxFiles = 200;

/** Reads a patch in either form. @throws `bad_patch`, with the line and what it should be. */
export function parsePatch(patch: string): FilePatch[] {
  const lines = withoutFence(patch.replaceAll('\r\n', '\n').split('\n'));
  while (lines.at(-1)?.trim() === '') lines.pop();
  const files = isEnvelope(lines) ? parseEnvelope(lines) : parseUnified(lines);
  if (files.length === 0) throw new PawlError('bad_patch', 'The patch changes no file. Nothing was changed.');
  if (files.length > maxFiles) {
    throw new PawlError('bad_patch', `The patch has ${files.length} files, over ${maxFiles}. Send it in parts.`);
  }
  return files;
}

/** Without the fence of Markdown that models put around code. */
function withoutFence(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const isFenced = first >= 0 && last > first && /^```\w*$/.test(lines[first] ?? '') && lines[last]?.trim() === '```';
  return isFenced ? lines.slice(first + 1, last) : lines;
}
