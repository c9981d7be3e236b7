/** Contains commands. Where that is not possible it says so, once. */
import { join, resolve } from 'node:path';
import { isInside } from '@pawl/policy';
import type { Confinement, SandboxMode, SandboxOptions } from './confinement.ts';
import type { Environment, Gateway, HostList, NetworkAccess, Way } from './network/index.ts';
import { holdPlaceholders } from './placeholders.ts';
import { findPlaces, type Places } from './places.ts';
import { isRepositoryItself, setAside } from './planted.ts';
import { argumentsOf, type Mechanism, type Probe, probeSandbox } from './probe.ts';
import { createTemporaries } from './temporaries.ts';
import { checkingWords, type WritableFolder, writableFolder } from './writable.ts';

/** How one command is started so that it is contained. */
export type Launch = {
  /** What stands in front of the command's own words. */
  words: readonly string[];
  /** Variables that are different inside. */
  environment: Readonly<Record<string, string>>;
  /** Whether it tells on descriptor 3, as JSON, which process leads inside. */
  hasInfo: boolean;
  isFolderWritable: boolean;
  network: NetworkAccess;
  /** The way to the hosts of a list; null where there is none. */
  gateway: Gateway | null;
  /** Whether the process hands over, on descriptor 4, where the gateway is let in (`takeEntrance`). */
  hasEntrance: boolean;
  /** To be called when the command has ended. Says in a sentence what had to be set right, or gives null. */
  release(): Promise<string | null>;
};

/** What holds for the commands of a folder. */
type Hold =
  | { kind: 'whole'; isFolderWritable: boolean; network: NetworkAccess }
  /** Commands run in the sandbox, but it does not hold all that it should. */
  | { kind: 'partial'; reason: string }
  | { kind: 'none' };

export type Sandbox = {
  readonly options: SandboxOptions;
  /** Finds out, at the first call, whether there is a sandbox here. */
  probe(): Promise<Probe | null>;
  /** What a command in this folder may do. `mode` can only be stricter than the sandbox's own. */
  holdOf(folder: string, mode?: SandboxMode): Promise<Hold>;
  /** Null where nothing contains it. @throws what keeps the temporary folder from being made. */
  launch(
    session: string,
    folder: string,
    /** `roots` are the only folders of the session's folder that may be changed; without, all of it may. */
    limits?: { mode?: SandboxMode | undefined; roots?: readonly string[] | undefined },
  ): Promise<Launch | null>;
};

const defaultSandbox: SandboxOptions = {
  mode: 'workspace-write',
  network: 'off',
  protectedPaths: [],
  hiddenPaths: [],
};

/** One answer for the whole process: it depends on the machine alone. */
let probed: Promise<Probe> | null = null;

type Surroundings = {
  /** Gets the sentence that says that there is no sandbox. */
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

  const probe = async (): Promise<Probe | null> => {
    if (options.mode === 'off') return null;
    probed = find === undefined ? (probed ?? probeSandbox()) : probed;
    const found = await (find === undefined ? (probed as Promise<Probe>) : find());
    if (!found.isAvailable && !isTold) {
      isTold = true;
      notice(
        `There is no sandbox: ${found.reason} Commands may do all that you may, and are asked about where they would have been contained. ${found.advice}`,
      );
    }
    return found;
  };

  /** By a list, what is to change nothing does not change anything elsewhere either. */
  const networkFor = (mode: SandboxMode | undefined): NetworkAccess =>
    mode === 'read-only' && typeof options.network !== 'string' ? 'off' : options.network;

  const holdIn = async (folder: string, mode: SandboxMode | undefined) => {
    const found = await probe();
    if (found === null) return null;
    const isFolderWritable = options.mode === 'workspace-write' && mode !== 'read-only';
    const places = findPlaces(folder, options);
    return { found, places, isFolderWritable };
  };

  return {
    options,
    probe,
    async holdOf(folder, mode) {
      const held = await holdIn(folder, mode);
      if (held === null || !held.found.isAvailable) return { kind: 'none' };
      const { places, isFolderWritable } = held;
      if (places.gap !== null && isFolderWritable) return { kind: 'partial', reason: places.gap };
      return { kind: 'whole', isFolderWritable, network: networkFor(mode) };
    },
    async launch(session, folder, { mode, roots } = {}) {
      const held = await holdIn(folder, mode);
      if (held === null || !held.found.isAvailable) return null;
      const { found, places, isFolderWritable } = held;
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
      const giveBack = isFolderWritable ? await holdPlaceholders(places.placeholders) : () => Promise.resolve();
      try {
        const way = typeof network === 'string' ? null : await openWay(network, found.mechanism, environment);
        const release = async () => {
          way?.gateway.close();
          await giveBack();
          return !isFolderWritable || wasRepository ? null : setAside(confinement.folder);
        };
        const launch = { ...launchOf(found.mechanism, confinement, way), network, release };
        // Seatbelt goes by where a file lies, whatever has led there.
        if (limits === null || found.mechanism.kind !== 'bubblewrap') return launch;
        return { ...launch, words: [...launch.words, ...checkingWords([...limits.writable, ...limits.anchored])] };
      } catch (error) {
        await giveBack();
        throw error;
      }
    },
  };
}

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

function launchOf(
  mechanism: Mechanism,
  confinement: Confinement & Partial<Places>,
  way: Way | null,
): Omit<Launch, 'network' | 'release'> {
  const { isFolderWritable, temporary } = confinement;
  // Elsewhere the temporary folder cannot be put in the place of another.
  const seen = mechanism.kind === 'bubblewrap' ? '/tmp' : temporary;
  const cache = join(seen, '.cache');
  return {
    words: [
      ...argumentsOf(mechanism, { ...confinement, proxyPort: way?.port ?? null, lent: way?.lent ?? null }),
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
    isFolderWritable,
    gateway: way?.gateway ?? null,
    hasEntrance: way !== null && way.port === null,
  };
}
