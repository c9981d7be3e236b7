/** Contains commands. Where that is not possible it says so, once. */
import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isInside } from '@pawl/policy';
import type { Confinement, SandboxMode, SandboxOptions } from './confinement.ts';
import { entranceWords, type Gateway, type HostList, type NetworkAccess, proxyVariables } from './network/index.ts';
import { holdPlaceholders } from './placeholders.ts';
import { findPlaces, type Places } from './places.ts';
import { argumentsOf, type Mechanism, type Probe, probeSandbox } from './probe.ts';
import { createTemporaries } from './temporaries.ts';

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
  /** The way to the hosts of a list, which has to be let in when the process is there; null where there is none. */
  gateway: Gateway | null;
  /** To be called when the command has ended. */
  release(): Promise<void>;
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

type Environment = Readonly<Record<string, string | undefined>>;

type Surroundings = {
  /** Gets the sentences that say what does not hold here, once each. */
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
  const told = new Set<string>();
  const tell = (line: string) => {
    if (!told.has(line)) notice(line);
    told.add(line);
  };

  const probe = async (): Promise<Probe | null> => {
    if (options.mode === 'off') return null;
    probed = find === undefined ? (probed ?? probeSandbox()) : probed;
    const found = await (find === undefined ? (probed as Promise<Probe>) : find());
    if (!found.isAvailable) {
      tell(
        `There is no sandbox: ${found.reason} Commands may do all that you may, and are asked about where they would have been contained. ${found.advice}`,
      );
    }
    return found;
  };

  const networkFor = (mechanism: Mechanism, mode: SandboxMode | undefined): NetworkAccess => {
    const { network } = options;
    if (network === 'off' || network === 'on') return network;
    if (mechanism.kind !== 'bubblewrap') {
      tell('A list of hosts in sandboxNetwork holds only with bubblewrap, on Linux: here commands reach no network.');
      return 'off';
    }
    // What is to change nothing is not to change anything elsewhere either.
    return mode === 'read-only' ? 'off' : network;
  };

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
      const { found, places, isFolderWritable } = held;
      if (places.gap !== null && isFolderWritable) return { kind: 'partial', reason: places.gap };
      return { kind: 'whole', isFolderWritable, network: networkFor(found.mechanism, mode) };
    },
    async launch(session, folder, { mode, roots } = {}) {
      const held = await holdIn(folder, mode);
      if (held === null || !held.found.isAvailable) return null;
      const { found, places, isFolderWritable } = held;
      const network = networkFor(found.mechanism, mode);
      const confinement = {
        ...places,
        folder: resolve(folder),
        isFolderWritable,
        ...(roots !== undefined && narrowed(places, resolve(folder), roots)),
        hasNetwork: network === 'on',
        temporary: await temporary(session),
      };
      const gateway = network === 'off' || network === 'on' ? null : await gatewayTo(network, environment);
      const giveBack = isFolderWritable ? await holdPlaceholders(places.placeholders) : () => Promise.resolve();
      const release = () => {
        gateway?.close();
        return giveBack();
      };
      return { ...launchOf(found.mechanism, confinement, network, environment), network, gateway, release };
    },
  };
}

/** Only folders that are there, within the session's, and no links to elsewhere: what is bound is what was meant. */
function narrowed(places: Places, folder: string, roots: readonly string[]): Partial<Confinement> {
  const isReal = (root: string) => {
    try {
      return statSync(root).isDirectory() && realpathSync.native(root) === root;
    } catch {
      return false;
    }
  };
  const writable = roots.filter((root) => isInside(folder, root) && isReal(root));
  return { writable, anchored: places.anchored.filter((path) => writable.some((root) => isInside(root, path))) };
}

/** Loaded with the first command that needs it. */
async function gatewayTo(list: HostList, environment: Environment): Promise<Gateway> {
  const { openGateway } = await import('./network/gateway.ts');
  return openGateway({ list, environment });
}

function launchOf(
  mechanism: Mechanism,
  confinement: Confinement & Partial<Places>,
  network: NetworkAccess,
  surrounding: Environment,
): Omit<Launch, 'network' | 'gateway' | 'release'> {
  const { isFolderWritable, temporary } = confinement;
  const isListed = network !== 'off' && network !== 'on';
  // Elsewhere the temporary folder cannot be put in the place of another.
  const seen = mechanism.kind === 'bubblewrap' ? '/tmp' : temporary;
  const cache = join(seen, '.cache');
  return {
    words: [...argumentsOf(mechanism, confinement), ...(isListed ? entranceWords() : [])],
    environment: {
      TMPDIR: seen,
      // A shared cache would carry what a contained command writes to those that are not.
      XDG_CACHE_HOME: cache,
      npm_config_cache: join(cache, 'npm'),
      PAWL_SANDBOX: isFolderWritable ? 'workspace-write' : 'read-only',
      ...(isListed && proxyVariables(network, surrounding)),
    },
    hasInfo: mechanism.kind === 'bubblewrap',
    isFolderWritable,
  };
}
