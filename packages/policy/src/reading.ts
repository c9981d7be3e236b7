import { plainWords } from './commands.ts';

/**
 * Commands that only read, as data. A command is on this list only if no option that the list lets through makes it
 * write, run another program, wait for input or never end. Whatever is not listed does not count as reading.
 *
 * Left out on purpose: `find` (-exec, -delete, -fprint), `sort` (-o), `sed` (-i, w), `awk` (system), `env`, `date` and
 * `hostname` (they set), `uniq` and `xxd` (they write their second argument), `rg` (--pre), `tree` (-o), `less` and
 * `more` (they run programs), `xargs`, `tee`, `man`.
 */
type Reader =
  /** Every option reads. */
  | { options: 'any' }
  /** All options but those that begin so. */
  | { options: 'except'; except: readonly string[] }
  /** By subcommand, with the only options it may have. */
  | { options: 'listed'; subcommands: { [name: string]: readonly string[] } };

const any: Reader = { options: 'any' };

const readers: { [command: string]: Reader } = {
  basename: any,
  cat: any,
  cksum: any,
  cmp: any,
  cut: any,
  df: any,
  diff: { options: 'except', except: ['-l', '--pa'] },
  dirname: any,
  du: any,
  echo: any,
  egrep: any,
  expr: any,
  false: any,
  fgrep: any,
  file: { options: 'except', except: ['-C', '--c', '-m', '--m', '-f', '--f'] },
  grep: any,
  head: any,
  id: any,
  ls: any,
  md5sum: any,
  nl: any,
  od: any,
  pwd: any,
  readlink: any,
  realpath: any,
  seq: any,
  sha1sum: any,
  sha256sum: any,
  stat: any,
  tac: any,
  tail: { options: 'except', except: ['-f', '-F', '--f', '--r'] },
  test: any,
  true: any,
  uname: any,
  wc: any,
  which: any,
  whoami: any,
};

/** The names of all commands that the table knows. */
export const readingCommands: readonly string[] = Object.keys(readers);

/**
 * Whether a shell command is known to change nothing: it has no shell syntax at all and stands in the table with these
 * options. Git is not among them: a repository's own settings (fsmonitor, filters,
 * external diffs, gpg) make even `git status` run programs, and a few plain files make a repository.
 */
export function readsOnly(command: string): boolean {
  const words = plainWords(command);
  const [name, ...rest] = words ?? [];
  if (name === undefined || !Object.hasOwn(readers, name)) return false;
  const reader = readers[name] as Reader;
  switch (reader.options) {
    case 'any':
      return true;
    case 'except':
      return !rest.some((word) => reader.except.some((flag) => isSpelling(flag, word)));
    case 'listed':
      return isListed(reader.subcommands, rest);
    default:
      return reader satisfies never;
  }
}

/** A forbidden flag in any spelling: long ones from their first letters, short ones also within a cluster. */
const isSpelling = (flag: string, word: string) =>
  flag.startsWith('--')
    ? word.startsWith(flag)
    : word.startsWith('-') && !word.startsWith('--') && word.includes(flag.slice(1));

function isListed(subcommands: { [name: string]: readonly string[] }, words: readonly string[]): boolean {
  const rest = words[0] === '--no-pager' ? words.slice(1) : words;
  const [subcommand, ...options] = rest;
  if (subcommand === undefined || !Object.hasOwn(subcommands, subcommand)) return false;
  const listed = subcommands[subcommand] as readonly string[];
  return options.every((word) => {
    if (!word.startsWith('-')) return true;
    if (/^-(?:[0-9]+|[nU][0-9]+)$/.test(word)) return true;
    const end = word.indexOf('=');
    return listed.includes(end < 0 ? word : word.slice(0, end + 1));
  });
}

/**
 * Whether a plain command names a place by an absolute path or with `..`, so that it may read outside the session's
 * folder. Only meaningful for a command that only reads.
 */
export function reachesOutside(command: string): boolean {
  return (plainWords(command) ?? [])
    .slice(1)
    .some((word) => /(?:^|[=:,])\/|(?:^|[/=:])\.\.(?:\/|$)|^-[A-Za-z]+(?:\/|\.\.)/.test(word));
}
