/** Files that other programs obey: to change one is more than to change a file. */
import { foldName, isInside, type PathBase, segmentsOf } from './paths.ts';

/** Folders and files of a project, besides git's own and Pawl's. */
export const obeyedNames = [
  '.circleci',
  '.claude',
  '.cursor',
  '.devcontainer',
  '.envrc',
  '.githooks',
  '.github',
  '.gitlab',
  '.gitlab-ci.yml',
  '.husky',
  '.idea',
  '.mcp.json',
  '.vscode',
  '.zed',
] as const;

const obeyed: ReadonlySet<string> = new Set([...obeyedNames, '.git', '.pawl']);

/** What programs of the user start or read without being told, besides all whose name begins with a dot. */
const obeyedOfHome: ReadonlySet<string> = new Set(['bin', 'library']);

/** Whether other programs obey what is at a canonical path in the session's folder, at any depth. */
export function isObeyed(path: string, { cwd, home }: PathBase): boolean {
  const names = segmentsOf(path).slice(segmentsOf(cwd).length).map(foldName);
  if (names.some((name) => obeyed.has(name))) return true;
  // In a session whose folder holds the whole home.
  if (!isInside(cwd, home) || !isInside(home, path)) return false;
  const [first = ''] = segmentsOf(path).slice(segmentsOf(home).length).map(foldName);
  return first.startsWith('.') || obeyedOfHome.has(first);
}
