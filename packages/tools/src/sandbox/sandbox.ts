/** Contains commands. Where that is not possible it says so, once. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isInside, type PathDenies, uncontainedReading } from '@pawl/policy';
import type { Awaited } from './awaited.ts';
import type { Confinement, Marked, SandboxMode, SandboxOptions } from './confinement.ts';
import { removeDebris } from './debris.ts';
import { findDenied, noneDenied } from './denied.ts';
import { isRepositoryItself, renameHead } from './folder-as-repository.ts';
import type { Launch } from './launch.ts';
import { defaultLimits } from './limits.ts';
import { removeMountPoints } from './mount-points.ts';
import type { Environment, HostList, NetworkAccess, Way } from './network/index.ts';
import { findPlaces, type Places } from './places.ts';
import { argumentsOf, type Mechanism, type Probe, probeSandbox } from './probe.ts';
import { readerLaunch } from './reader-launch.ts';
import { createSurvey, type Nested } from './repositories.ts';
import { repositoryFolders } from './repository-folders.ts';
import { setRight } from './set-aside.ts';
import { createTemporaries } from './temporaries.ts';
import { finishInterruptedWatches, watchAbsentPlaces } from './watch-absent.ts';
import { checkingWords, type WritableFolder, writableFolder } from './writable.ts';

/** So often a sandbox is made, should what it is made of change in the same moment, before that is given as the outcome. */
export const mostSetups = 5;

/** What holds for the commands of a folder. */
type Hold =
  | { kind: 'whole'; isFolderWritable: boolean; network: NetworkAccess }
  /** Commands run in the sandbox, but it does not hold all that it should. */
  | { kind: 'partial'; reason: string }
  /** Only commands that only read can be contained, and are launched with the names of the programs that they run. */
  | { kind: 'readers' }
  /** Nothing contains any command. `advice` says what to do about it, as sentences; null where nobody wants it. */
  | { kind: 'none'; advice: string | null };

export type Sandbox = {
  readonly options: SandboxOptions;
  /** Finds out, at the first call, whether there is a sandbox here. */
  probe(): Promise<Probe | null>;
  /**
   * What a command in this folder may do, for judging it: several questions about one command share one look at the
   * folder. What is launched is looked at anew. `mode` can only be stricter than the sandbox's own.
   */
  holdOf(folder: string, mode?: SandboxMode): Promise<Hold>;
  /** Null where nothing contains it. @throws what keeps the temporary folder from being made. */
  launch(
    session: string,
    folder: string,
    /** `roots` are the only folders of the session's folder that may be changed; without, all of it may. */
    limits?: {
      mode?: SandboxMode | undefined;
      roots?: readonly string[] | undefined;
      denies?: PathDenies | undefined;
      /** The programs that a command runs which only reads. */
      readers?: readonly string[] | undefined;
    },
  ): Promise<Launch | null>;
};

const defaultSandbox: SandboxOptions = {
  mode: 'workspace-write',
  network: 'off',
  protectedPaths: [],
  hiddenPaths: [],
  shownOfHome: [],
  limits: defaultLimits(),
};

/** One answer for the whole process: it depends on the machine alone. */
let probed: Promise<Probe> | null = null;
/** Whether what killed processes left has been looked at: once is enough. */
let isLookedAfter = false;

/** For so long one look at a folder serves whoever judges, ms. */
const lookServesMs = 500;

type Surroundings = {
  /** Gets the sentences that a person should see: that there is no sandbox, or what was moved aside. */
  notice(line: string): void;
  /** Where the user's proxies stand. Default: this process's. */
  environment?: Environment;
  find?: () => Promise<Probe>;
};

export function createSandbox(
  given: Partial<SandboxOptions>,
  { notice, environment = process.env, find }: Surroundings,
): Sandbox {
  const options = { ...defaultSandbox, ...given };
  const temporary = createTemporaries();
  let isTold = false;
  let lastLook: { folder: string; at: number; gap: Places['gap'] } | null = null;

  const probe = async (): Promise<Probe | null> => {
    if (options.mode === 'off') return null;
    probed = find === undefined ? (probed ?? probeSandbox()) : probed;
    const found = await (find === undefined ? (probed as Promise<Probe>) : find());
    if (!found.isAvailable && !isTold) {
      isTold = true;
      notice(
        found.readers === null
          ? `There is no sandbox: ${found.reason} Commands may do all that you may, and are asked about where they would have been contained; those that only read too, until ${uncontainedReading} is allowed, for a session or in the settings. ${found.advice}`
          : `There is no sandbox but for commands that only read, which Landlock contains: ${found.reason} All others may do all that you may, and are asked about where they would have been contained. ${found.advice}`,
      );
    }
    return found;
  };

  /** By a list, what is to change nothing does not change anything elsewhere either. */
  const networkFor = (mode: SandboxMode | undefined): NetworkAccess =>
    mode === 'read-only' && typeof options.network !== 'string' ? 'off' : options.network;

  const survey = createSurvey((folder, found) => {
    for (const sentence of setRightAll(found, folder)) notice(`In ${folder}, of a command that has ended: ${sentence}`);
  });

  /** The mechanism that contains commands; null where there is none. */
  const mechanismOf = (found: Probe | null): Mechanism | null => {
    if (found === null || !found.isAvailable) return null;
    if (!isLookedAfter) {
      isLookedAfter = true;
      for (const sentence of finishInterruptedWatches()) notice(sentence);
    }
    return found.mechanism;
  };

  const isWritable = (mode: SandboxMode | undefined) => options.mode === 'workspace-write' && mode !== 'read-only';

  const lookAt = async (folder: string, denied = noneDenied): Promise<Places> => {
    const [nested, needed] = await Promise.all([survey.look(folder), repositoryFolders(folder)]);
    const places = findPlaces(folder, { ...options, environment, denied, nested, needed });
    lastLook = { folder, at: performance.now(), gap: places.gap };
    return places;
  };

  const gapIn = async (folder: string): Promise<Places['gap']> =>
    lastLook?.folder === folder && performance.now() - lastLook.at < lookServesMs
      ? lastLook.gap
      : (await lookAt(folder)).gap;

  return {
    options,
    probe,
    async holdOf(folder, mode) {
      const found = await probe();
      if (mechanismOf(found) === null) {
        if (found === null || found.isAvailable) return { kind: 'none', advice: null };
        return found.readers === null
          ? { kind: 'none', advice: `${found.reason} ${found.advice}` }
          : { kind: 'readers' };
      }
      const isFolderWritable = isWritable(mode);
      const gap = isFolderWritable ? await gapIn(folder) : null;
      if (gap !== null) return { kind: 'partial', reason: gap };
      return { kind: 'whole', isFolderWritable, network: networkFor(mode) };
    },
    async launch(session, folder, { mode, roots, denies, readers } = {}) {
      const debris = removeDebris(join(folder, '.git'));
      const found = await probe();
      const by = mechanismOf(found);
      if (by === null && readers === undefined) return null;
      const denied = denies === undefined ? noneDenied : await findDenied(denies, { cwd: folder, home: homedir() });
      const isFolderWritable = isWritable(mode);
      const places = await lookAt(folder, denied);
      if (by === null) {
        if (found === null || found.isAvailable || found.readers === null || readers === undefined) return null;
        return readerLaunch(found.readers, {
          folder: resolve(folder),
          places,
          denied,
          programs: readers,
          needed: await repositoryFolders(folder),
          temporary: await temporary(session),
          path: environment.PATH ?? '',
          limits: options.limits,
        });
      }
      const network = networkFor(mode);
      const limits = roots === undefined ? null : narrowed(places, resolve(folder), roots);
      const pathsOf = (folders: readonly WritableFolder[]) => folders.map(({ path }) => path);
      const confinement = {
        ...places,
        folder: resolve(folder),
        isFolderWritable,
        ...(limits !== null && { writable: pathsOf(limits.writable), anchored: pathsOf(limits.anchored) }),
        hasNetwork: network === 'on',
        temporary: await temporary(session),
      };
      const wasRepository = isRepositoryItself(confinement.folder);
      const way = typeof network === 'string' ? null : await openWay(network, by, environment);
      const isMounted = by.kind === 'bubblewrap';
      // Seatbelt goes by names, and needs nothing to be there.
      const startedAt = Date.now();
      const watch = watchAbsentPlaces(confinement.folder, isMounted && isFolderWritable ? places.awaited : [], notice);
      const release = async () => {
        way?.gateway.close();
        const { folder } = confinement;
        if (isMounted) removeMountPoints(mountedIn(folder, isFolderWritable, places));
        const renamed = !isFolderWritable || wasRepository ? null : await renameHead(folder);
        const made = isMounted && isFolderWritable ? await survey.newSince(folder, startedAt) : null;
        const nested = setRightAll(made ?? [], folder);
        const sentences = [debris, ...watch.end(), renamed, ...nested].filter((each) => each !== null);
        return sentences.length === 0 ? null : sentences.join(' ');
      };
      const launch = {
        ...launchOf(by, confinement, way),
        isWhole: places.gap === null || !isFolderWritable,
        network,
        limits: options.limits,
        hidesHistory: denied.objects.length > 0,
        breach: watch.breach,
        release,
      };
      // Seatbelt goes by where a file lies, whatever has led there.
      if (limits === null || !isMounted) return launch;
      return { ...launch, words: [...launch.words, ...checkingWords([...limits.writable, ...limits.anchored])] };
    },
  };
}

/** What was mounted on something in the session's folder. */
const mountedIn = (folder: string, isFolderWritable: boolean, { guarded, hidden }: Places) =>
  isFolderWritable ? [...guarded, ...hidden.filter(({ path }) => isInside(folder, path))] : [];

/** Only folders that are there, within the session's, and no links to elsewhere: what is bound is what was meant. */
function narrowed(places: Places, folder: string, roots: readonly string[]) {
  const there = (paths: readonly string[]) => paths.flatMap((path) => writableFolder(path) ?? []);
  const writable = there(roots.filter((root) => isInside(folder, root)));
  const anchored = there(places.anchored.filter((path) => writable.some((root) => isInside(root.path, path))));
  return { writable, anchored };
}

/** Loaded with the first command that needs it. */
async function openWay(list: HostList, { kind }: Mechanism, environment: Environment): Promise<Way> {
  const { openEntrance, openPort } = await import('./network/way.ts');
  return kind === 'bubblewrap' ? openEntrance(list, environment) : openPort(list, environment);
}

/** What of a repository that came into being below the folder would be obeyed. */
const awaitedOf = ({ path, kind }: Nested): Awaited => {
  const kinds = { folder: 'repository', bare: 'repository', link: 'anything', file: 'working-tree' } as const;
  return { path, kind: kinds[kind], top: path };
};

const setRightAll = (made: readonly Nested[], folder: string): string[] =>
  made.flatMap((each) => setRight(awaitedOf(each), folder) ?? []);

/** Where even its folder is missing, that cannot be made either. */
const markedAhead = ({ top }: Awaited): Marked => ({ path: top, isFolder: true, identity: '' });

function launchOf(
  mechanism: Mechanism,
  confinement: Confinement & Pick<Places, 'awaited'>,
  way: Way | null,
): Omit<Launch, 'isWhole' | 'network' | 'limits' | 'hidesHistory' | 'breach' | 'release'> {
  const { isFolderWritable, temporary, awaited, guarded } = confinement;
  // Elsewhere the temporary folder cannot be put in the place of another.
  const seen = mechanism.kind === 'bubblewrap' ? '/tmp' : temporary;
  const cache = join(seen, '.cache');
  return {
    words: [
      ...argumentsOf(mechanism, {
        ...confinement,
        guarded: mechanism.kind === 'seatbelt' ? [...guarded, ...awaited.map(markedAhead)] : guarded,
        proxyPort: way?.port ?? null,
        lent: way?.lent ?? null,
        hasEntrance: way !== null && way.port === null,
      }),
      ...(way?.words ?? []),
    ],
    environment: {
      TMPDIR: seen,
      // A shared cache would carry what a contained command writes to those that are not.
      XDG_CACHE_HOME: cache,
      npm_config_cache: join(cache, 'npm'),
      PAWL_SANDBOX: isFolderWritable ? 'workspace-write' : 'read-only',
      ...way?.variables,
    },
    hasInfo: mechanism.kind === 'bubblewrap',
    filter: mechanism.kind === 'bubblewrap' ? mechanism.filter : null,
    isFolderWritable,
    gateway: way?.gateway ?? null,
    hasEntrance: way !== null && way.port === null,
  };
}
