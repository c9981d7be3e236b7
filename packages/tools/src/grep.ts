import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Tool, ToolContext, ToolOutcome } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import { commandEnvironment } from './environment.ts';
import { escapeName, stripTerminal } from './escape.ts';
import { fileFailure } from './failures.ts';
import type { ToolOptions } from './options.ts';
import { isInWorkspace, type Place, resolvePlace } from './paths.ts';
import { ripgrep, type SearchEnd } from './ripgrep.ts';
import { defineTool, objectSchema } from './tool.ts';

type GrepInput = {
  pattern: string;
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  context?: number;
  limit?: number;
};

const usualMatches = 200;
const mostMatches = 500;
const mostContextLines = 10;
const longestLine = 400;
/** What is read of a search before it is ended; results beyond could not be shown anyway. */
const mostOutputBytes = 4_000_000;

/** Finds lines by a regular expression. */
export function grepTool(options: ToolOptions): Tool {
  return defineTool<GrepInput>({
    name: 'grep',
    description:
      'Searches file contents for a regular expression (Rust syntax) and shows path:line:text. Ignored and binary files are left out.',
    input: objectSchema(
      {
        pattern: { type: 'string' },
        path: { type: 'string', description: 'File or folder; default: the working folder' },
        glob: { type: 'string', description: 'Only files like this, e.g. *.ts' },
        ignoreCase: { type: 'boolean' },
        context: { type: 'integer', minimum: 0, maximum: mostContextLines, description: 'Lines around each match' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: mostMatches,
          description: `Most matches, default ${usualMatches}`,
        },
      },
      ['pattern'],
    ),
    effect: 'read',
    subjectKind: 'path',
    subject: ({ path = '.' }) => path,
    paths: async ({ path = '.' }, { cwd }) => [(await resolvePlace(path, cwd)).path],
    approval: async ({ path = '.' }, { cwd }) => !(await isInWorkspace((await resolvePlace(path, cwd)).path, cwd)),
    run: (input, context) => run(input, context, options),
  });
}

async function run(input: GrepInput, context: ToolContext, options: ToolOptions): Promise<ToolOutcome> {
  const place = await resolvePlace(input.path ?? '.', context.cwd);
  const status = await stat(place.path).catch((error: unknown) => {
    throw fileFailure(error, place.shown);
  });
  const isFolder = status.isDirectory();
  if (!isFolder && !status.isFile()) {
    throw new PawlError('search_failed', `${place.shown} is neither a file nor a folder, so it cannot be searched.`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = await ripgrep(
    {
      cwd: isFolder ? place.path : dirname(place.path),
      target: isFolder ? '.' : `./${basename(place.path)}`,
      options: optionsOf(input),
      environment: commandEnvironment(options),
      signal: context.signal,
    },
    (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      return bytes < mostOutputBytes;
    },
  );
  const files = readMatches(Buffer.concat(chunks).toString('utf8'), end.isStopped);
  if (files.length === 0) refuseErrors(end);
  return showMatches(
    files,
    input.limit ?? usualMatches,
    end,
    isFolder ? place : { ...place, shown: dirname(place.shown) },
  );
}

function optionsOf({ pattern, glob, ignoreCase = false, context = 0 }: GrepInput): string[] {
  return [
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--null',
    '--no-messages',
    `--max-columns=${longestLine}`,
    '--max-columns-preview',
    `--context=${context}`,
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    `--regexp=${pattern}`,
  ];
}

/** @throws `bad_pattern` or `search_failed` for a search that ended with an error and found nothing. */
function refuseErrors({ exitCode, errors }: SearchEnd): void {
  if (exitCode === 0 || exitCode === 1 || errors.trim() === '') return;
  const isPattern = /regex|glob|repetition|unclosed|unrecognized/i.test(errors);
  if (isPattern) {
    throw new PawlError(
      'bad_pattern',
      `The pattern is not valid: ${errors.trim()}\nEscape ( [ { * + ? . | with a backslash to search for themselves.`,
    );
  }
  throw new PawlError('search_failed', `The search failed: ${errors.trim()}`);
}

type Line = { number: string; isMatch: boolean; text: string };
type FileMatches = { file: string; groups: Line[][] };

/** What ripgrep says instead of a line when a file turns out to be binary; the only lines without a NUL. */
const binaryNotice =
  /^[^\0\n]*: (?:binary file matches|WARNING: stopped searching binary file after match) \(found [^\0\n]* byte around offset \d+\)\n?/;

/** Reads `./path NUL number (: or -) text` lines; `--` stands between groups of context. Sorted by path. */
function readMatches(output: string, isCut: boolean): FileMatches[] {
  const files = new Map<string, Line[][]>();
  let isNewGroup = true;
  let at = 0;
  while (at < output.length) {
    if (output.startsWith('--\n', at)) {
      isNewGroup = true;
      at += 3;
      continue;
    }
    const notice = output.startsWith('./', at) ? noticeAt(output, at) : 0;
    if (notice > 0) {
      at += notice;
      continue;
    }
    const pathEnd = output.indexOf('\0', at);
    const lineEnd = pathEnd < 0 ? -1 : output.indexOf('\n', pathEnd);
    if (pathEnd < 0 || (lineEnd < 0 && isCut)) break;
    const file = output.slice(at + './'.length, pathEnd);
    const line = /^(\d+)([:-])(.*)$/s.exec(output.slice(pathEnd + 1, lineEnd < 0 ? undefined : lineEnd));
    at = lineEnd < 0 ? output.length : lineEnd + 1;
    if (line === null) continue;
    const [, number = '', mark, text = ''] = line;
    const groups = files.get(file) ?? [];
    if (groups.length === 0) files.set(file, groups);
    if (isNewGroup || groups.length === 0) groups.push([]);
    isNewGroup = false;
    groups.at(-1)?.push({ number, isMatch: mark === ':', text });
  }
  return [...files].map(([file, groups]) => ({ file, groups })).sort((one, other) => (one.file < other.file ? -1 : 1));
}

/** Length of a binary notice at this place, or 0. */
function noticeAt(output: string, at: number): number {
  const lineEnd = output.indexOf('\n', at);
  const line = output.slice(at, lineEnd < 0 ? undefined : lineEnd + 1);
  return binaryNotice.test(line) ? line.length : 0;
}

function showMatches(files: readonly FileMatches[], limit: number, end: SearchEnd, base: Place): ToolOutcome {
  const prefix = base.shown === '.' ? '' : `${base.shown.replace(/\/$/, '')}/`;
  const lines: string[] = [];
  let shown = 0;
  let total = 0;
  for (const { file, groups } of files) {
    const name = prefix + escapeName(file);
    for (const group of groups) {
      if (group.some(({ isMatch }) => !isMatch) && lines.length > 0 && shown < limit) lines.push('--');
      for (const { number, isMatch, text } of group) {
        if (isMatch) total++;
        if (total > limit) continue;
        if (isMatch) shown++;
        const mark = isMatch ? ':' : '-';
        lines.push(`${name}${mark}${number}${mark}${stripTerminal(text)}`);
      }
    }
  }
  if (total === 0) return { content: 'No matches.', details: { matches: 0 } };
  const all = `${end.isStopped ? 'more than ' : ''}${total}`;
  if (total > shown || end.isStopped) lines.push(`(${shown} of ${all} matches; narrow the search)`);
  return { content: lines.join('\n'), details: { matches: total } };
}
