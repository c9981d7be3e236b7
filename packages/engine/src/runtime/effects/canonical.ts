/** Resolves the paths that a shell command names, so that no symlink bypasses a rule. */
import { lstat, readlink, realpath } from 'node:fs';
import { promisify } from 'node:util';
import { namedPaths, prepareCommand } from '@pawl/policy';

/** As the system resolves it: `..` behind a symlink is the parent of where that leads. */
const resolveWhole = promisify(realpath.native);
const readTarget = promisify(readlink);
const look = promisify(lstat);

/** Further paths are judged as they are written. */
const maxPaths = 64;
const maxLinks = 40;

/** @throws `no_grammar`. */
export async function canonicalPathsOf(
  command: string,
  base: { cwd: string; home: string },
): Promise<ReadonlyMap<string, string>> {
  await prepareCommand(command);
  const paths = namedPaths(command, base).slice(0, maxPaths);
  return new Map(await Promise.all(paths.map(async (path) => [path, await canonical(path, maxLinks)] as const)));
}

/** Resolves the part of a path that exists, and a link to nothing to its target. */
async function canonical(path: string, linksLeft: number): Promise<string> {
  const whole = await resolveWhole(path).catch(() => null);
  if (whole !== null || path === '/') return whole ?? path;
  const cut = path.replace(/\/+$/, '');
  const end = cut.lastIndexOf('/');
  const folder = await canonical(cut.slice(0, end) || '/', linksLeft);
  const entry = `${folder === '/' ? '' : folder}/${cut.slice(end + 1)}`;
  const isLink = await look(entry).then(
    (status) => status.isSymbolicLink(),
    () => false,
  );
  if (!isLink || linksLeft === 0) return entry;
  // Some links, such as `/proc/1/exe`, can only be read by their owner.
  const target = await readTarget(entry).catch(() => null);
  if (target === null) return entry;
  return canonical(target.startsWith('/') ? target : `${folder}/${target}`, linksLeft - 1);
}
