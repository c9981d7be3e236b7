/** What of a project's settings the user has trusted, by its exact content. Kept in the data folder. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isInside } from '@pawl/policy';
import { filesNamedIn, type Shipped, shippedBy, trustDigest } from '@pawl/policy/trust';
import type { JsonObject } from '@pawl/protocol';
import { messageOf, PawlError } from '@pawl/protocol';
import { dataFolder } from '../home.ts';
import { filesAsSettings, type ProjectFiles, readProjectFiles } from './project-files.ts';

/** One project that was trusted. `at` is Unix milliseconds. */
type Trusted = { digest: string; at: number };
export type TrustStore = { readonly [folder: string]: Trusted };

export type Trust = {
  /** `none`: there is nothing to trust. `changed`: something else was trusted before. */
  state: 'none' | 'trusted' | 'changed' | 'unknown';
  shipped: readonly Shipped[];
  digest: string | null;
};

const storePath = (environment: NodeJS.ProcessEnv) => join(dataFolder(environment), 'trust.json');

/** @throws `bad_trust` for a file that is damaged: it is not guessed what was in it. */
export function readTrust(environment: NodeJS.ProcessEnv = process.env): TrustStore {
  const path = storePath(environment);
  if (!existsSync(path)) return {};
  try {
    const { projects } = JSON.parse(readFileSync(path, 'utf8')) as { projects: TrustStore };
    for (const { digest, at } of Object.values(projects)) {
      if (typeof digest !== 'string' || typeof at !== 'number') throw new Error('an entry has another form');
    }
    return projects;
  } catch (cause) {
    throw new PawlError(
      'bad_trust',
      `${path} cannot be read (${messageOf(cause)}). Remove it, and trust your projects again with: pawl trust`,
      { cause },
    );
  }
}

export function writeTrust(projects: TrustStore, environment: NodeJS.ProcessEnv = process.env): void {
  const path = storePath(environment);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}.new`;
  writeFileSync(fresh, `${JSON.stringify({ version: 1, projects }, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, path);
}

/**
 * Whether what a project brings along may take effect: in its settings, as written, and in its files beside them.
 * `folder` is the project's.
 */
export function trustOf(
  folder: string,
  settings: JsonObject,
  environment: NodeJS.ProcessEnv = process.env,
  files: ProjectFiles = readProjectFiles(folder),
): Trust {
  const named = filesNamedIn(shippedBy(settings));
  const shipped = shippedBy({ ...settings, ...filesAsSettings(files) });
  const digest = trustDigest(shipped, digestsOf(folder, named));
  if (digest === null) return { state: 'none', shipped, digest };
  const before = readTrust(environment);
  const trusted = Object.hasOwn(before, folder) ? before[folder] : undefined;
  return {
    state: trusted === undefined ? 'unknown' : trusted.digest === digest ? 'trusted' : 'changed',
    shipped,
    digest,
  };
}

const largestFile = 10_000_000;

/** Files of the project that are named in what it ships: a hook whose script changes is another hook. */
function digestsOf(folder: string, names: readonly string[]): Record<string, string> {
  const digests: Record<string, string> = {};
  for (const name of names) {
    const path = resolve(folder, name);
    const status = isInside(folder, path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (status?.isFile() !== true) continue;
    // One so large is known by its size and its time, which any change moves.
    digests[name] =
      status.size > largestFile
        ? `${status.size} bytes of ${status.mtimeMs}`
        : createHash('sha256').update(readFileSync(path)).digest('hex');
  }
  return digests;
}
