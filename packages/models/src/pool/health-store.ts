import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, PawlError } from '@pawl/protocol';
import { fields, list } from '../wires/fields.ts';
import { type Credit, isCredit } from './credit.ts';
import type { Snapshot } from './rate-limits.ts';

/** Where the health of keys outlives a process: plain JSON, which holds no key, only fingerprints of keys. */
export interface HealthStore {
  /** What was saved last, by this process or another; null if there is nothing that can be read. */
  load(): Promise<unknown>;
  /** Replaces it whole. */
  save(health: StoredHealth): Promise<void>;
}

/** A key that rests, for one model. `until` is in Unix ms, `key` its fingerprint, `why` a phrase for people. */
type StoredRest = { provider: string; key: string; model: string; until: number; code: string; why: string };
type StoredSnapshot = { provider: string; key: string; model: string; snapshot: Snapshot };
/** `at` in Unix ms. */
type StoredRefusal = { provider: string; key: string; what: string; at: number };
type StoredCredit = { provider: string; key: string; credit: Credit };
export type StoredHealth = {
  version: 1;
  rests: readonly StoredRest[];
  snapshots: readonly StoredSnapshot[];
  credits: readonly StoredCredit[];
  refusals?: readonly StoredRefusal[];
};

/**
 * Health in a file that only its owner may read. A reader never sees half of it; what cannot be read counts as nothing
 * and is replaced.
 * @example
 * const health = createHealth({ store: fileHealthStore('/home/me/health.json') });
 */
export function fileHealthStore(path: string): HealthStore {
  let writes = 0;
  return {
    async load() {
      try {
        return JSON.parse(await readFile(path, 'utf8')) as unknown;
      } catch (error) {
        if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
          return null;
        }
        throw unusable(path, 'read', error);
      }
    },
    async save(health) {
      const fresh = `${path}.${process.pid}.${++writes}.tmp`;
      try {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(fresh, JSON.stringify(health), { mode: 0o600 });
        await rename(fresh, path);
      } catch (error) {
        await rm(fresh, { force: true }).catch(() => undefined);
        throw unusable(path, 'written', error);
      }
    },
  };
}

function unusable(path: string, verb: string, error: unknown): PawlError {
  return new PawlError('health_unsaved', `${path} cannot be ${verb}: ${messageOf(error)}.`, { cause: error });
}

/** What of `value`, which may be anything, is stored health. */
export function readStored(value: unknown): StoredHealth {
  const { version, rests, snapshots, credits, refusals } = fields(value);
  if (version !== 1) return { version: 1, rests: [], snapshots: [], credits: [], refusals: [] };
  return {
    version: 1,
    rests: list(rests).filter(isRest),
    snapshots: list(snapshots).filter(isStoredSnapshot),
    credits: list(credits).filter(isStoredCredit),
    refusals: list(refusals).filter(isStoredRefusal),
  };
}

function isRest(value: unknown): value is StoredRest {
  const { provider, key, model, until, code, why } = fields(value);
  return [provider, key, model, code, why].every(isText) && typeof until === 'number' && Number.isFinite(until);
}

function isStoredSnapshot(value: unknown): value is StoredSnapshot {
  const { provider, key, model, snapshot } = fields(value);
  const { at, isGradual, buckets } = fields(snapshot);
  if (![provider, key, model].every(isText) || typeof at !== 'number' || typeof isGradual !== 'boolean') return false;
  return typeof buckets === 'object' && buckets !== null && Object.values(buckets).every(isBucket);
}

function isStoredCredit(value: unknown): value is StoredCredit {
  const { provider, key, credit } = fields(value);
  return [provider, key].every(isText) && isCredit(credit);
}

function isStoredRefusal(value: unknown): value is StoredRefusal {
  const { provider, key, what, at } = fields(value);
  return [provider, key, what].every(isText) && typeof at === 'number' && Number.isFinite(at);
}

function isBucket(value: unknown): boolean {
  const { limit, remaining, resetAt } = fields(value);
  return typeof remaining === 'number' && isNumberOrNull(limit) && isNumberOrNull(resetAt);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumberOrNull = (value: unknown): boolean => value === null || typeof value === 'number';
