import { dirname, join } from 'node:path';
import type { Tool, ToolContext, ToolOutcome } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import { commandEnvironment } from '../environment.ts';
import { escapeName, stripTerminal } from '../escape.ts';
import { asFileFailure, systemCode } from '../failures.ts';
import { openFolder } from '../files/disk/open-folder.ts';
import { refuseUnjudged } from '../files/disk/operation.ts';
import { openFile } from '../files/regular-file.ts';
import type { ToolOptions } from '../options.ts';
import { judgedPlace, leadsOutside, type Place, resolvePlace } from '../paths.ts';
import { defineTool, objectSchema } from '../tool.ts';
import { type FileMatches, readMatches } from './grep-output.ts';
import { ripgrep, type SearchEnd, type SearchScope } from './ripgrep.ts';

type GrepInput = {
  pattern: string;
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  context?: number;
  limit?: number;
};

const usualMatches = 200;
const maxMatches = 500;
const maxContextLines = 10;
const longestLine = 400;
/** What is read of a search before it is ended; results beyond could not be shown anyway. */
const maxOutputBytes = 4_000_000;

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
        context: { type: 'integer', minimum: 0, maximum: maxContextLines, description: 'Lines around each match' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: maxMatches,
          description: `Most matches, default ${usualMatches}`,
        },
      },
      ['pattern'],
    ),
    isOutside: true,
    effect: 'read',
    subjectKind: 'path',
    subject: ({ path = '.' }) => path,
    paths: async ({ path = '.' }, scope) => [(await judgedPlace(path, scope)).path],
    approval: ({ path = '.' }, scope) => leadsOutside(path, scope),
    run: (input, context) => run(input, context, options),
  });
}

async function run(input: GrepInput, context: ToolContext, options: ToolOptions): Promise<ToolOutcome> {
  const place = await resolvePlace(input.path ?? '.', context.cwd);
  refuseUnjudged(place, context);
  const { searched, close } = await openScope(place).catch((error: unknown) => {
    throw asFileFailure(error, place.shown);
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = await ripgrep(
    {
      ...searched,
      options: optionsOf(input),
      environment: commandEnvironment(options),
      signal: context.signal,
    },
    (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      return bytes < maxOutputBytes;
    },
  ).finally(close);
  const limit = input.limit ?? usualMatches;
  const barred = searched.file === null ? (context.barredIn?.(place.path) ?? null) : null;
  const found = readMatches(Buffer.concat(chunks).toString('utf8'), limit, {
    isCut: end.isStopped,
    ...(barred !== null && { isBarred: (file) => barred(join(place.path, file)) }),
  });
  if (found.total === 0) refuseErrors(end);
  const prefix = place.shown === '.' ? '' : `${place.shown.replace(/\/$/, '')}/`;
  const nameOf = (file: string) => (searched.file === null ? prefix + escapeName(file) : place.shown);
  const outcome = showMatches(found, limit, end, nameOf);
  // Whether one of them matches or not.
  return barred === null
    ? outcome
    : { ...outcome, content: `${outcome.content}\n(files that rules keep are left out)` };
}

/**
 * The folder or file that was judged, held open so that it is searched and nothing that takes its name.
 * @throws `not_a_file` for a pipe or a device, which could be read for ever; what the system says.
 */
async function openScope({ path, shown }: Place): Promise<{ searched: SearchScope; close(): Promise<void> }> {
  const folder = await openFolder(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOTDIR') return null;
    throw error;
  });
  if (folder !== null) return { searched: { cwd: folder.entry('.'), file: null }, close: () => folder.close() };
  const handle = await openFile({ path, shown });
  if (handle === null) throw new PawlError('not_found', `${shown} does not exist.`);
  return { searched: { cwd: dirname(path), file: { path, handle } }, close: () => handle.close() };
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

function showMatches(
  { files, total }: { files: readonly FileMatches[]; total: number },
  limit: number,
  end: SearchEnd,
  nameOf: (file: string) => string,
): ToolOutcome {
  if (total === 0) return { content: 'No matches.', details: { matches: 0 } };
  const lines: string[] = [];
  let shown = 0;
  for (const { file, groups } of files) {
    const name = nameOf(file);
    for (const group of groups) {
      if (shown >= limit) break;
      if (group.some(({ isMatch }) => !isMatch) && lines.length > 0) lines.push('--');
      for (const { number, isMatch, text } of group) {
        if (isMatch && shown >= limit) break;
        if (isMatch) shown++;
        const mark = isMatch ? ':' : '-';
        lines.push(`${name}${mark}${number}${mark}${stripTerminal(text)}`);
      }
    }
  }
  const all = `${end.isStopped ? 'more than ' : ''}${total}`;
  if (total > shown || end.isStopped) lines.push(`(${shown} of ${all} matches; narrow the search)`);
  return { content: lines.join('\n'), details: { matches: total } };
}
