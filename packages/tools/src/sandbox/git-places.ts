/** What git obeys in a working tree: read from its settings, without git. */
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { Awaited } from './awaited.ts';

/** What git obeys besides. `modules` and `worktrees` hold settings of their own; attributes only choose among settings. */
const obeyedByGit: readonly (readonly [string, Awaited['kind'] | null])[] = [
  ['modules', 'anything'],
  ['worktrees', 'worktrees'],
  ['info/attributes', null],
];

/** Settings that include each other beyond this many are left at that. */
const mostIncludes = 100;

/** Paths, and what git would obey where nothing is yet; null where that may come into being. */
export type GitPlace = { path: string; whenAbsent: Awaited['kind'] | null };

/** Of a repository whose `.git` is a folder: its settings, the files that these include, its hooks. */
export function gitPlaces(git: string, home: string): GitPlace[] {
  const settings = settingsOf(join(git, 'config'), home);
  const [own = ''] = settings.values();
  const hooks = [...settings.values()].flatMap((text) => valuesOf('hooksPath', text));
  return [
    { path: join(git, 'hooks'), whenAbsent: 'hooks' },
    ...obeyedByGit.map(([name, whenAbsent]) => ({ path: join(git, name), whenAbsent })),
    // A repository whose `commondir` names another folder takes its settings and hooks from there.
    { path: join(git, 'commondir'), whenAbsent: 'pointer' },
    { path: join(git, 'config.worktree'), whenAbsent: /worktreeConfig/i.test(own) ? 'settings' : null },
    ...[...settings.keys()].map((path) => ({ path, whenAbsent: 'settings' as const })),
    // They count from the working tree; what includes count from is the file that includes.
    ...hooks.map((path) => ({ path: placeOf(path, resolve(git, '..'), home), whenAbsent: 'hooks' as const })),
  ];
}

/** A file of settings and all that it includes, with their texts; empty where a file is not there. */
function settingsOf(config: string, home: string): Map<string, string> {
  const texts = new Map<string, string>();
  const visit = (file: string) => {
    const text = textOf(file);
    if (text === null || texts.has(file) || texts.size >= mostIncludes) return;
    texts.set(file, text);
    for (const path of valuesOf('path', text)) visit(placeOf(path, resolve(file, '..'), home));
  };
  visit(config);
  return texts;
}

const placeOf = (path: string, base: string, home: string) =>
  path.startsWith('~/') ? join(home, path.slice(2)) : isAbsolute(path) ? resolve(path) : resolve(base, path);

/** All values of a name in any section: what is guarded too much does less harm than what is not. */
function valuesOf(name: string, text: string): string[] {
  const setting = new RegExp(`^(?:[ \\t]*\\[[^\\n]*\\])?[ \\t]*${name}[ \\t]*=[ \\t]*("[^"\\n]*"|[^\\n#;]*)`, 'gim');
  return [...text.replaceAll('\\\n', '').matchAll(setting)]
    .map(([, value = '']) => value.replace(/^"|"$/g, '').trim().replaceAll('\\\\', '\\'))
    .filter((value) => value !== '');
}

/** Empty where it cannot be read: then git cannot either. Null for a folder; a pipe would be waited for. */
function textOf(path: string): string | null {
  try {
    const status = statSync(path);
    if (status.isDirectory()) return null;
    return status.isFile() ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}
