/** How a command that only reads is started so that Landlock contains it. */
import { isInside } from '@pawl/policy';
import type { Denied } from './denied.ts';
import type { Landlock } from './landlock.ts';
import { landlockWords } from './landlock.ts';
import type { Launch } from './launch.ts';
import type { SandboxLimits } from './limits.ts';
import type { Places } from './places.ts';
import { programFiles } from './program-files.ts';
import { systemPlaces } from './system-places.ts';

export type ReaderSurroundings = {
  folder: string;
  places: Pick<Places, 'hidden' | 'absent'>;
  denied: Denied;
  /** Names of the programs that the command runs. */
  programs: readonly string[];
  /** The rest of the repository that the folder is a part of. */
  needed: readonly string[];
  temporary: string;
  /** As in the variable PATH. */
  path: string;
  limits: SandboxLimits;
};

/** @throws `denies_unknown` where too much would have to be listed. */
export function readerLaunch(landlock: Landlock, surroundings: ReaderSurroundings): Launch {
  const { folder, places, denied, needed, temporary, path, limits } = surroundings;
  const words = landlockWords(landlock, {
    readable: [
      folder,
      ...needed,
      ...systemPlaces(),
      ...places.absent.flatMap(({ seen }) => seen.map(({ from }) => from)),
    ],
    // What lies in the home is not on the list, unless the home is the folder or holds it.
    hidden: [...places.hidden.map((each) => each.path), ...denied.read, ...denied.objects],
    programs: programFiles(['/bin/bash', ...surroundings.programs], { path, folder }),
    temporary,
  });
  return {
    words,
    environment: { TMPDIR: temporary, XDG_CACHE_HOME: `${temporary}/.cache`, PAWL_SANDBOX: 'read-only' },
    hasInfo: false,
    isFolderWritable: false,
    isWhole: true,
    network: 'off',
    gateway: null,
    filter: null,
    // All processes of the user would count, as it has no space of its own for them.
    limits: { ...limits, processes: null },
    hidesHistory: denied.objects.some((each) => isInside(folder, each)),
    hasEntrance: false,
    breach: new AbortController().signal,
    release: () => Promise.resolve(null),
  };
}
