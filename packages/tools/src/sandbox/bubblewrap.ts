import { isInside } from '@pawl/policy';
import type { Confinement } from './confinement.ts';

/** What this machine's bubblewrap can do. */
export type BubblewrapTraits = {
  /** Absolute path of the program. */
  program: string;
  /** Whether it can keep commands from making namespaces of their own (from 0.8 on, and not when it is setuid). */
  canSealNamespaces: boolean;
  /** Path of the filter of system calls; null where the kernel takes none. */
  filter: string | null;
};

/** Where the system keeps what a bare `/run` would take away: the programs of NixOS. */
const neededOfRun = ['/run/current-system', '/run/wrappers'];
/** Names are looked up through these where there is a network. */
const resolversOfRun = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager/resolv.conf'];

/** Where bubblewrap tells, as JSON, which process leads inside, and how the command has ended if it has begun at all. */
const statusDescriptor = 3;

/** Where bubblewrap reads the filter of system calls: behind the channel to the network, where there is one. */
const filterDescriptor = ({ hasEntrance = false }: { hasEntrance?: boolean }) => (hasEntrance ? 5 : 4);

/**
 * The arguments that contain a command, its own words to be put behind them. Later mounts lie on earlier ones, so the
 * order is the meaning.
 *
 * Root keeps its number in every namespace of ours, and the kernel asks for no more where its own settings are written:
 * without `--cap-drop` and a `/proc` that only reads, a contained root would set the machine's `core_pattern`. The filter
 * of system calls refuses namespaces; where there is none, bubblewrap does. `/run` holds the sockets of daemons that would run something outside (docker, D-Bus, systemd), and
 * a mount that only reads does not keep anybody from connecting.
 */
export function bubblewrapArguments(
  confinement: Confinement,
  { program, canSealNamespaces, filter }: BubblewrapTraits,
): string[] {
  const {
    folder,
    isFolderWritable,
    writable,
    hasNetwork,
    temporary,
    lent,
    absent = [],
    hidden,
    anchored,
    guarded,
  } = confinement;
  // In the session's temporary folder nobody is at home.
  const homes = absent.filter(({ path }) => !['/tmp', '/run'].some((place) => isInside(place, path)));
  const same = (option: string, path: string) => [option, path, path];
  return [
    program,
    ...['--json-status-fd', `${statusDescriptor}`],
    ...(filter === null ? [] : ['--seccomp', `${filterDescriptor(confinement)}`]),
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...(canSealNamespaces && filter === null ? ['--disable-userns'] : []),
    ...['--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
    ...same('--ro-bind', '/'),
    ...['--dev', '/dev', '--proc', '/proc'],
    ...['--remount-ro', '/proc'],
    ...['--tmpfs', '/run'],
    ...[...neededOfRun, ...(hasNetwork ? resolversOfRun : [])].flatMap((path) => same('--ro-bind-try', path)),
    ...(lent ? ['--ro-bind', lent.path, lent.seenAt] : []),
    ...['--bind', temporary, '/tmp'],
    ...homes.flatMap(({ path, seen }) => [
      ...['--tmpfs', path],
      ...seen.flatMap(({ from, seenAt }) => ['--ro-bind-try', from, seenAt]),
    ]),
    ...same(isFolderWritable && writable === undefined ? '--bind' : '--ro-bind', folder),
    ...(isFolderWritable ? (writable ?? []).flatMap((path) => same('--bind', path)) : []),
    ...(isFolderWritable
      ? [
          // What has gone since it was looked at needs no mount, and is no reason to fail.
          ...anchored.flatMap((path) => same('--bind-try', path)),
          ...guarded.flatMap(({ path }) => same('--ro-bind-try', path)),
        ]
      : []),
    // After all that is to be seen, which would bring it back.
    ...hidden.flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
    ),
    // Last, as what lies in it needs places to be mounted on.
    ...homes.flatMap(({ path }) => ['--remount-ro', path]),
    ...['--chdir', folder, '--'],
  ];
}
