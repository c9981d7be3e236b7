/** Unified diffs, as diff and git write them, and as models do: with line numbers and counts that may be wrong. */
import { badPatch } from './bad-patch.ts';
import { unquotePath } from './paths.ts';
import type { FilePatch, Hunk, PatchLine } from './types.ts';

type Reader = { lines: readonly string[]; at: number };

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
const noLineEnd = '\\ No newline at end of file';

export function parseUnified(lines: readonly string[]): FilePatch[] {
  const reader: Reader = { lines, at: 0 };
  const files: FilePatch[] = [];
  while (reader.at < lines.length) {
    if (isFileStart(reader)) files.push(readFile(reader));
    else if (lines[reader.at]?.startsWith('@@') === true) {
      throw badPatch(
        reader.at,
        lines[reader.at],
        'expected "--- path" and "+++ path" before it, or "*** Begin Patch".',
      );
      // What stands before the first file is a message, as in mail.
    } else reader.at++;
  }
  if (files.length === 0) {
    throw badPatch(0, lines[0], 'expected "*** Begin Patch", or a unified diff with "--- path" and "+++ path".');
  }
  return files;
}

const isGitStart = (line: string | undefined) => line?.startsWith('diff --git ') === true;
const isNames = ({ lines, at }: Reader) =>
  lines[at]?.startsWith('--- ') === true && lines[at + 1]?.startsWith('+++ ') === true;
const isFileStart = (reader: Reader) => isGitStart(reader.lines[reader.at]) || isNames(reader);

/** What git says of a file before its names. */
type Extras = { from: string | null; to: string | null; isNew: boolean; isDeleted: boolean; isExecutable: boolean };

function readFile(reader: Reader): FilePatch {
  const start = reader.at;
  const extras = isGitStart(reader.lines[reader.at]) ? readExtras(reader) : null;
  let [from, to] = [extras?.from ?? null, extras?.to ?? null];
  if (isNames(reader)) {
    [from, to] = namesOf(reader.lines[reader.at] ?? '', reader.lines[reader.at + 1] ?? '');
    reader.at += 2;
    if (extras?.from != null && extras.to !== null && extras.from !== extras.to) [from, to] = [extras.from, extras.to];
  }
  if (from === null && to === null) throw badPatch(start, reader.lines[start], 'the names of the file are missing.');
  const hunks = readHunks(reader);
  if (to === null || extras?.isDeleted === true) return { kind: 'delete', path: from ?? to ?? '', hunks };
  if (from === null || extras?.isNew === true) return addition(to, hunks, extras?.isExecutable ?? false);
  const moveTo = from === to ? null : to;
  if (hunks.length === 0 && moveTo === null) {
    throw badPatch(start, reader.lines[start], 'the file has no hunk that could be read.');
  }
  return { kind: 'update', path: from, moveTo, hunks };
}

function addition(path: string, hunks: readonly Hunk[], isExecutable: boolean): FilePatch {
  const lines = hunks.flatMap((hunk) => hunk.lines.filter(({ mark }) => mark === '+').map(({ text }) => text));
  return { kind: 'add', path, lines, endsWithLineEnd: hunks.at(-1)?.endsWithLineEnd !== false, isExecutable };
}

function readExtras(reader: Reader): Extras {
  const first = reader.lines[reader.at] ?? '';
  const named = /^diff --git ("(?:[^"\\]|\\.)*"|.+?) ("(?:[^"\\]|\\.)*"|b\/.+)$/.exec(first);
  const [from, to] = namesOf(`--- ${named?.[1] ?? ''}`, `+++ ${named?.[2] ?? ''}`);
  const extras: Extras = { from, to, isNew: false, isDeleted: false, isExecutable: false };
  for (reader.at++; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] ?? '';
    if (isFileStart(reader) || line.startsWith('@@')) break;
    refuseMode(reader);
    if (line.startsWith('new file mode')) Object.assign(extras, { isNew: true, isExecutable: line.endsWith('755') });
    else if (line.startsWith('deleted file mode')) extras.isDeleted = true;
    else if (line.startsWith('rename from ')) extras.from = unquotePath(line.slice('rename from '.length));
    else if (line.startsWith('rename to ')) extras.to = unquotePath(line.slice('rename to '.length));
    else if (/^(?:GIT binary patch|Binary files )/.test(line)) {
      throw badPatch(reader.at, line, 'binary patches are not applied.');
    } else if (/^copy (?:from|to) /.test(line)) throw badPatch(reader.at, line, 'copies are not made; add the file.');
    else if (!/^(?:index |similarity |dissimilarity |old mode |new mode |\s*$)/.test(line)) break;
  }
  return extras;
}

const kinds: { [type: string]: string } = { '120000': 'symlinks', '160000': 'submodules' };

/** What would be made something else than it says, or not at all, is refused. @throws `bad_patch`. */
function refuseMode({ lines, at }: Reader): void {
  const line = lines[at] ?? '';
  const kind = kinds[/^(?:new file mode|old mode|new mode|index \S+) (\d{6})$/.exec(line)?.[1] ?? ''];
  if (kind !== undefined) throw badPatch(at, line, `${kind} are not made or changed by a patch; use bash.`);
  if (line.startsWith('old mode ') && line.slice(9) !== lines[at + 1]?.slice(9)) {
    throw badPatch(at, line, 'modes are not changed by a patch; leave this line and the next out, and use chmod.');
  }
}

/** The two names, null for none; `a/` and `b/` go where both have them. */
function namesOf(oldLine: string, newLine: string): [from: string | null, to: string | null] {
  const nameOf = (line: string) => {
    const name = unquotePath(line.slice(4).split('\t')[0] ?? '');
    return name === '/dev/null' || name === '' ? null : name;
  };
  const [from, to] = [nameOf(oldLine), nameOf(newLine)];
  const isPrefixed = (from?.startsWith('a/') ?? true) && (to?.startsWith('b/') ?? true);
  return isPrefixed ? [from?.slice(2) ?? null, to?.slice(2) ?? null] : [from, to];
}

function readHunks(reader: Reader): Hunk[] {
  const hunks: Hunk[] = [];
  while (reader.lines[reader.at]?.startsWith('@@') === true) hunks.push(readHunk(reader));
  return hunks;
}

function readHunk(reader: Reader): Hunk {
  const start = reader.at;
  const header = hunkHeader.exec(reader.lines[start] ?? '');
  const count = (text: string | undefined) => (text === undefined ? 1 : Number(text));
  const said = header === null ? null : { old: count(header[2]), new: count(header[4]) };
  reader.at++;
  const body = (said === null ? null : readCounted(reader, said)) ?? readUncounted(reader);
  if (body.lines.length === 0) throw badPatch(start, reader.lines[start], 'the hunk is empty.');
  return {
    anchors: [],
    // Of a hunk without old lines, the number is of the line before it.
    line: header === null ? null : Number(header[1]) + (said?.old === 0 ? 1 : 0),
    ...body,
  };
}

type Body = Pick<Hunk, 'lines' | 'isAtEnd' | 'endsWithLineEnd'>;

/** As many lines as the header says; null, with nothing read, if they are not there. */
function readCounted(reader: Reader, said: { old: number; new: number }): Body | null {
  const lines: PatchLine[] = [];
  const ends: PatchLine['mark'][] = [];
  let { old, new: fresh } = said;
  let at = reader.at;
  while (old > 0 || fresh > 0) {
    const line = patchLine(reader.lines[at]);
    if (line === null) return null;
    if (line === 'no line end') ends.push(lines.at(-1)?.mark ?? ' ');
    else {
      lines.push(line);
      if (line.mark !== '+') old--;
      if (line.mark !== '-') fresh--;
      if (old < 0 || fresh < 0) return null;
    }
    at++;
  }
  if (patchLine(reader.lines[at]) === 'no line end') {
    ends.push(lines.at(-1)?.mark ?? ' ');
    at++;
  }
  // More of the kind than was said: somebody miscounted.
  const next = reader.lines[at];
  const isOver = ['', '-- ', undefined].includes(next) || isFileStart({ lines: reader.lines, at });
  if (!isOver && patchLine(next) !== null) return null;
  reader.at = at;
  return bodyOf(lines, ends);
}

/** All lines up to the next header. */
function readUncounted(reader: Reader): Body {
  const lines: PatchLine[] = [];
  const ends: PatchLine['mark'][] = [];
  for (; reader.at < reader.lines.length; reader.at++) {
    if (isFileStart(reader) || reader.lines[reader.at]?.startsWith('@@') === true) break;
    // A mail's signature.
    if (reader.lines[reader.at] === '-- ') break;
    const line = patchLine(reader.lines[reader.at]);
    if (line === null) {
      throw badPatch(reader.at, reader.lines[reader.at], 'a line of a hunk begins with a space, - or +.');
    }
    if (line === 'no line end') ends.push(lines.at(-1)?.mark ?? ' ');
    else lines.push(line);
  }
  // Blank lines between files are no context.
  while (lines.at(-1)?.mark === ' ' && lines.at(-1)?.text === '') lines.pop();
  return bodyOf(lines, ends);
}

function bodyOf(lines: readonly PatchLine[], ends: readonly PatchLine['mark'][]): Body {
  const isOldEnd = ends.includes('-') || ends.includes(' ');
  const isNewEnd = ends.includes('+') || ends.includes(' ');
  const endsWithLineEnd = isNewEnd ? false : isOldEnd ? true : null;
  return { lines, isAtEnd: isOldEnd, endsWithLineEnd };
}

function patchLine(line: string | undefined): PatchLine | 'no line end' | null {
  if (line === undefined) return null;
  if (line.startsWith('\\') || line === noLineEnd) return 'no line end';
  // Editors and models drop the space of an empty line.
  if (line === '') return { mark: ' ', text: '' };
  const mark = line[0];
  return mark === ' ' || mark === '-' || mark === '+' ? { mark, text: line.slice(1) } : null;
}
