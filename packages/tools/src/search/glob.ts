import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Tool, ToolContext, ToolOutcome } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import { commandEnvironment } from '../environment.ts';
import { escapeName } from '../escape.ts';
import { asFileFailure, systemCode } from '../failures.ts';
import { openFolder } from '../files/disk/open-folder.ts';
import { refuseUnjudged } from '../files/disk/operation.ts';
import type { ToolOptions } from '../options.ts';
import { judgedPlace, leadsOutside, type Place, resolvePlace } from '../paths.ts';
import { defineTool, objectSchema } from '../tool.ts';
import { ripgrep } from './ripgrep.ts';
import { keepSmallest } from './smallest.ts';

type GlobInput = { pattern: string; path?: string };

const maxResults = 300;
const longestPattern = 1000;

/** Finds files by name. */
export function globTool(options: ToolOptions): Tool {
  return defineTool<GlobInput>({
    name: 'glob',
    description:
      'Finds files whose path matches a pattern such as **/*.ts or src/**/*.{js,ts}; ignored files (.gitignore) are left out.',
    input: objectSchema(
      {
        pattern: { type: 'string', description: 'Relative to path; without a /, at any depth' },
        path: { type: 'string', description: 'Folder; default: the working folder' },
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

async function run(
  { pattern, path = '.' }: GlobInput,
  context: ToolContext,
  options: ToolOptions,
): Promise<ToolOutcome> {
  const place = await resolvePlace(path, context.cwd);
  refuseUnjudged(place, context);
  const local = localPattern(pattern, place);
  const isMatch = await matcherOf(pattern, local);
  // It names what list would name: not what is in a folder that rules keep.
  const barred = context.barredIn?.(place.path) ?? null;
  const isShown = memoize((folder) => barred === null || !barred(join(place.path, folder)));
  const environment = commandEnvironment(options);
  // Held, so that the very folder that was judged is searched.
  const folder = await openFolder(place.path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOTDIR') throw new PawlError('not_folder', `${place.shown} is not a folder.`);
    throw asFileFailure(error, place.shown);
  });
  const found = keepSmallest(maxResults);
  let rest = '';
  const decoder = new TextDecoder();
  const onChunk = (chunk: Buffer) => {
    const names = (rest + decoder.decode(chunk, { stream: true })).split('\0');
    rest = names.pop() ?? '';
    for (const name of names) {
      const file = name.slice('./'.length);
      if (isMatch(file) && isShown(dirname(file))) found.add(file);
    }
    return true;
  };
  const cwd = folder.entry('.');
  const end = await otherFolders(cwd, local)
    .then((others) => {
      const flags = ['--files', '--null', ...typeFilterFor(local), ...others];
      return ripgrep({ cwd, file: null, options: flags, environment, signal: context.signal }, onChunk);
    })
    .finally(() => folder.close());
  if (end.exitCode === 2 && found.count() === 0 && end.errors !== '') {
    throw new PawlError('search_failed', `Not everything in ${place.shown} could be searched: ${end.errors.trim()}`);
  }
  const base = place.shown.startsWith('/') ? place.path : relative(context.cwd, join(context.cwd, place.shown));
  const lines = found.names().map((file) => escapeName(join(base, file)));
  if (found.count() > maxResults) lines.push(`(${maxResults} of ${found.count()} files; narrow the pattern)`);
  const count = found.count();
  return { content: count === 0 ? 'No files match.' : lines.join('\n'), details: { count } };
}

/** Of a hundred thousand files, hundreds lie in the same folder. */
function memoize(ask: (folder: string) => boolean): (folder: string) => boolean {
  const answers = new Map<string, boolean>();
  return (folder) => {
    const answer = answers.get(folder) ?? ask(folder);
    answers.set(folder, answer);
    return answer;
  };
}

const maxStars = 3;

/** An absolute pattern must lie within the folder. @throws `bad_pattern`. */
function localPattern(pattern: string, place: Place): string {
  if (pattern.length > longestPattern)
    throw new PawlError('bad_pattern', `The pattern is longer than ${longestPattern} characters.`);
  let local = pattern.replace(/^(?:\.\/)+/, '');
  if (local.startsWith('/')) {
    if (!local.startsWith(`${place.path}/`)) {
      throw new PawlError(
        'bad_pattern',
        `The pattern lies outside ${place.shown}. Give the folder as path and the pattern relative to it.`,
      );
    }
    local = local.slice(place.path.length + 1);
  }
  if (local.split('/').includes('..'))
    throw new PawlError('bad_pattern', 'The pattern leads upwards. Give the folder as path instead.');
  // The expression backtracks: its time grows with the length of a name to the power of the stars in it.
  const crowded = local.split('/').some((segment) => (segment.match(/\*+/g) ?? []).length > maxStars);
  if (crowded || (local.match(/\*\*/g) ?? []).length > maxStars) {
    throw new PawlError('bad_pattern', `The pattern has more than ${maxStars} stars in one name. Write it with fewer.`);
  }
  return local;
}

/** A last part of which ripgrep and the expression think alike; of the parts before it, only that they end there. */
const plainEnd = /^(?:[\w.*-]*\/)*((?:[\w.*-]|\{[\w.*-]+(?:,[\w.*-]+)+\})+)$/;

/**
 * Lets ripgrep leave out files whose names cannot match, as files of another type. Its `--glob` would do for more, but
 * also bring back what ignore files leave out.
 */
function typeFilterFor(local: string): string[] {
  const [, last = ''] = plainEnd.exec(local) ?? [];
  const isPlain = /\w/.test(last) && !/\*\*|\.\./.test(last);
  return isPlain ? [`--type-add=pawlglob:${last}`, '--type=pawlglob'] : [];
}

/** Folders that are kept out of a search by their names, at most; ripgrep goes through further ones. */
const maxOthers = 500;

/**
 * Keeps ripgrep out of the folders beside the one that a pattern begins with. To name that one as the place to search
 * would follow it if it is a symbolic link, and search it if it is ignored.
 */
async function otherFolders(folder: string, local: string): Promise<string[]> {
  const [, first] = /^([\w.-]+)\//.exec(local) ?? [];
  if (first === undefined) return [];
  // What cannot be listed, the search itself will say.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const others = entries.filter((entry) => entry.isDirectory() && entry.name !== first && /^[\w.-]+$/.test(entry.name));
  return others.slice(0, maxOthers).map(({ name }) => `--glob=!/${name}/`);
}

/** A pattern without a slash is about names, at any depth. */
async function matcherOf(pattern: string, local: string): Promise<(file: string) => boolean> {
  const { default: picomatch } = await import('picomatch');
  // The expression itself, because it is asked once a file and there may be a hundred thousand.
  const expression = picomatch.makeRe(local.endsWith('/') ? `${local}**` : local, {
    dot: true,
    nonegate: true,
    noextglob: true,
  });
  if (!expression) throw new PawlError('bad_pattern', `The pattern ${JSON.stringify(pattern)} is not valid.`);
  return local.includes('/')
    ? (file) => expression.test(file)
    : (file) => expression.test(file.slice(file.lastIndexOf('/') + 1));
}
