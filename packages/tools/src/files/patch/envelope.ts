/**
 * The form that begins with `*** Begin Patch`: no line numbers; a hunk is found by its context, and by the lines that
 * follow `@@`.
 */
import { badPatch } from './bad-patch.ts';
import type { FilePatch, Hunk, PatchLine } from './types.ts';

const begin = '*** Begin Patch';
const end = '*** End Patch';
const headers = { add: '*** Add File: ', delete: '*** Delete File: ', update: '*** Update File: ' } as const;
const moveHeader = '*** Move to: ';
const endOfFile = '*** End of File';
const expectedHeader = 'expected "*** Add File: ", "*** Update File: ", "*** Delete File: " or "*** End Patch".';

export function isEnvelope(lines: readonly string[]): boolean {
  const first = lines.find((line) => line.trim() !== '')?.trim() ?? '';
  return first === begin || Object.values(headers).some((header) => first.startsWith(header));
}

const isHeader = (line: string) =>
  line.startsWith(end) || Object.values(headers).some((header) => line.startsWith(header));

/** The lines, and how far they are read. */
type Reader = { lines: readonly string[]; at: number };

export function parseEnvelope(lines: readonly string[]): FilePatch[] {
  const reader: Reader = { lines, at: 0 };
  const files: FilePatch[] = [];
  for (; reader.at < lines.length; ) {
    const line = lines[reader.at] ?? '';
    if (line.trim() === '' || line.trim() === begin) reader.at++;
    else if (line.startsWith(end)) break;
    else files.push(readFile(reader));
  }
  return files;
}

function readFile(reader: Reader): FilePatch {
  const line = reader.lines[reader.at] ?? '';
  const kind = (['add', 'delete', 'update'] as const).find((each) => line.startsWith(headers[each]));
  if (kind === undefined) {
    throw badPatch(reader.at, line, expectedHeader);
  }
  const path = pathOf(reader, headers[kind]);
  switch (kind) {
    case 'add':
      return { kind, path, lines: readAdded(reader), endsWithLineEnd: true, isExecutable: false };
    case 'delete':
      return { kind, path, hunks: [] };
    case 'update': {
      const moveTo = reader.lines[reader.at]?.startsWith(moveHeader) === true ? pathOf(reader, moveHeader) : null;
      const hunks = readHunks(reader);
      if (hunks.length === 0 && moveTo === null) {
        throw badPatch(reader.at, reader.lines[reader.at], `"${path}" has no hunk; begin one with @@.`);
      }
      return { kind, path, moveTo, hunks };
    }
    default:
      return kind satisfies never;
  }
}

function pathOf(reader: Reader, header: string): string {
  const line = reader.lines[reader.at] ?? '';
  const path = line.slice(header.length).trim();
  if (path === '') throw badPatch(reader.at, line, 'the path is missing.');
  reader.at++;
  return path;
}

function readAdded(reader: Reader): string[] {
  const added: string[] = [];
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] ?? '';
    if (isHeader(line)) break;
    if (!line.startsWith('+')) {
      if (line.trim() === '' && isRestBlank(reader)) break;
      throw badPatch(reader.at, line, 'every line of a new file begins with +.');
    }
    added.push(line.slice(1));
  }
  return added;
}

/** Blank lines between files mean nothing. */
function isRestBlank({ lines, at }: Reader): boolean {
  const next = lines.slice(at).find((line) => line.trim() !== '');
  return next === undefined || isHeader(next);
}

function readHunks(reader: Reader): Hunk[] {
  const hunks: Hunk[] = [];
  for (;;) {
    const line = reader.lines[reader.at];
    if (line === undefined || isHeader(line) || (line.trim() === '' && isRestBlank(reader))) return hunks;
    hunks.push(readHunk(reader));
  }
}

function readHunk(reader: Reader): Hunk {
  const anchors: string[] = [];
  const start = reader.at;
  let line = reader.lines[reader.at];
  for (; line?.startsWith('@@') === true; line = reader.lines[++reader.at]) {
    // The line numbers of the other form, which some put here as well, say nothing in this one.
    const anchor = line
      .slice(2)
      .replace(/^\s*-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/, '')
      .trim();
    if (anchor !== '') anchors.push(anchor);
  }
  const lines: PatchLine[] = [];
  let isAtEnd = false;
  for (; line !== undefined && !isHeader(line) && !line.startsWith('@@'); line = reader.lines[++reader.at]) {
    if (line === endOfFile) {
      isAtEnd = true;
      reader.at++;
      break;
    }
    if (line.trim() === '' && isRestBlank(reader)) break;
    const mark = line === '' ? ' ' : line[0];
    if (mark !== ' ' && mark !== '-' && mark !== '+') {
      const expected = line.startsWith('***') ? expectedHeader : 'a line of a hunk begins with a space, - or +.';
      throw badPatch(reader.at, line, expected);
    }
    lines.push({ mark, text: line.slice(1) });
  }
  if (lines.length === 0) throw badPatch(start, reader.lines[start], 'the hunk is empty.');
  return { anchors, line: null, lines, isAtEnd, endsWithLineEnd: null };
}
