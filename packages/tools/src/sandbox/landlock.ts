/**
 * Contains commands that only read, where there is no bubblewrap, by Landlock: a part of Linux (5.13 and later) by which
 * a process gives up rights to files for itself and all that it starts. No program of Pawl's has to be built for that:
 * perl, which nearly every Linux has, makes the three system calls and becomes the command.
 *
 * Landlock has no denies, so what may be read is a list. It says nothing about sockets and about rights of files; a
 * filter of system calls, which perl installs too, refuses these.
 */
import { constants } from 'node:fs';
import { type ReadablePlace, readablePlaces } from './readable-places.ts';

/** What of Landlock this machine has. */
export type Landlock = {
  /** Absolute path of perl. */
  program: string;
  /** The version of Landlock that the kernel has. */
  version: number;
  /** Path of the filter of system calls for commands that only read. */
  filter: string;
};

export type ReaderConfinement = {
  /** The folders and files that may be read, each with all that is in it. */
  readable: readonly string[];
  /** Nothing of these may be read, though they lie in one of those. */
  hidden: readonly string[];
  /** Files that may be run. */
  programs: readonly string[];
  /** The only folder that may be written to. */
  temporary: string;
};

/** Rights as in linux/landlock.h. */
const right = {
  run: 1n << 0n,
  write: 1n << 1n,
  readFile: 1n << 2n,
  readFolder: 1n << 3n,
  remove: (1n << 4n) | (1n << 5n),
  // Folders, files, pipes, links; no devices and no sockets.
  make: (1n << 7n) | (1n << 8n) | (1n << 10n) | (1n << 12n),
  move: 1n << 13n,
  truncate: 1n << 14n,
  control: 1n << 15n,
};

/** How many rights each version knows, counted from the lowest bit. */
const knownRights = (version: number) => (version >= 5 ? 16n : version >= 3 ? 15n : version >= 2 ? 14n : 13n);

/** Where the kernel has `prctl`. */
const prctl: Readonly<Record<string, number>> = { x64: 157, arm64: 167 };
/** O_PATH, which is the same on both, and Node does not name. */
const pathOnly = 0o10000000;

/**
 * A place that has gone, or is something else by now, gets no right: then nobody reads it. All else must succeed.
 * 444 to 446 are Landlock's calls on every machine; 38 is PR_SET_NO_NEW_PRIVS, 22 and 2 PR_SET_SECCOMP with a filter.
 */
const launcher = `
my ($prctl, $open, $version, $handled, $count, $filter) = splice @ARGV, 0, 6;
sub refuse { print STDERR "This could not be contained: $_[0]: $!\\n"; exit 126 }
open my $file, '<:raw', $filter or refuse('filter');
my $code = do { local $/; <$file> };
close $file;
my $rights = $version >= 6 ? pack('QQQ', $handled, 3, 3) : $version >= 4 ? pack('QQ', $handled, 3) : pack('Q', $handled);
my $rules = syscall 444, $rights, length $rights, 0;
refuse('Landlock') if $rules < 0;
for (splice @ARGV, 0, $count) {
  my ($allowed, $path) = split /:/, $_, 2;
  sysopen my $place, $path, $open + 0 or next;
  my $rule = pack 'Ql', $allowed, fileno $place;
  syscall 445, $rules, 1, $rule, 0;
}
syscall($prctl + 0, 38, 1, 0, 0, 0) == 0 or refuse('privileges');
syscall(446, $rules, 0) == 0 or refuse('Landlock');
my $program = pack 'S x6 P', length($code) / 8, $code;
syscall($prctl + 0, 22, 2, $program, 0, 0) == 0 or refuse('seccomp');
exec { $ARGV[0] } @ARGV or refuse($ARGV[0]);
`;

/** The words to stand in front of a command's own. @throws `denies_unknown` where too much would have to be listed. */
export function landlockWords({ program, version, filter }: Landlock, confinement: ReaderConfinement): string[] {
  const { readable, hidden, programs, temporary } = confinement;
  const handled = (1n << knownRights(version)) - 1n;
  const rule = (rights: bigint, path: string) => `${rights & handled}:${path}`;
  const { readFile, readFolder, write, control } = right;
  const device = rule(readFile | write | right.truncate | control, '/dev/null');
  const rules = [
    ...readablePlaces(readable, hidden).map((place) => rule(rightsToRead(place), place.path)),
    ...programs.map((path) => rule(right.run | readFile, path)),
    ...['/dev/zero', '/dev/random', '/dev/urandom'].map((path) => rule(readFile, path)),
    device,
    rule(readFile | readFolder | write | right.remove | right.make | right.move | right.truncate, temporary),
  ];
  const numbers = [prctl[process.arch] ?? 0, pathOnly | constants.O_NOFOLLOW, version, handled, rules.length];
  return [program, '-f', '-e', launcher, ...numbers.map(String), filter, ...rules];
}

function rightsToRead({ kind }: ReadablePlace): bigint {
  switch (kind) {
    case 'tree':
      return right.readFile | right.readFolder;
    case 'file':
      return right.readFile;
    case 'names':
      return right.readFolder;
    default:
      return kind satisfies never;
  }
}
