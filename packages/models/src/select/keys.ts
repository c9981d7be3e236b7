import { readFileSync } from 'node:fs';
import { messageOf } from '@pawl/protocol';
import type { ProxyEnvironment } from '@pawl/protocol/proxy';
import type { Key } from '../pool/types.ts';
import type { KnownProvider } from './providers.ts';
import type { KeySource } from './settings.ts';

/** A key that is to be had, and whether it is sent as a bearer token whatever the wire does with keys. */
export type FoundKey = Key & { isToken?: true };

/** The keys of a provider, and in words what would have given more. */
export type Keyring = {
  keys: readonly FoundKey[];
  missing: readonly string[];
  /** There is one that cannot be used: to do without would not be what the user wants. */
  isFaulty?: boolean;
};

/** Keys where the user says that they are. */
export function listedKeys(sources: readonly KeySource[], environment: ProxyEnvironment): Keyring {
  const keys: FoundKey[] = [];
  const missing: string[] = [];
  for (const source of sources) {
    const found = 'env' in source ? keyInVariable(source.env, environment) : keyInFile(source.file);
    if (typeof found === 'string') missing.push(found);
    else keys.push(found);
  }
  return { keys: withoutDoubles(keys), missing };
}

/**
 * Keys in the variables that the provider's own tools read; `NAME_2`, `NAME_3` and so on add to `NAME`, so that other
 * programs go on to read the first. A token counts where there is no key.
 */
export function usualKeys({ keys: names, token }: KnownProvider, environment: ProxyEnvironment): Keyring {
  const keys: FoundKey[] = [];
  const faults: string[] = [];
  const add = (name: string, more: { isToken?: true } = {}) => {
    const found = keyInVariable(name, environment);
    if (typeof found === 'string') faults.push(found);
    else keys.push({ ...found, ...more });
  };
  const first = names.find((name) => isSet(environment[name]));
  if (first !== undefined) {
    add(first);
    for (let number = 2; isSet(environment[`${first}_${number}`]); number++) add(`${first}_${number}`);
  } else if (token !== undefined && isSet(environment[token])) add(token, { isToken: true });
  if (faults.length > 0) return { keys: withoutDoubles(keys), missing: faults, isFaulty: true };
  return { keys: withoutDoubles(keys), missing: keys.length > 0 || names.length === 0 ? [] : [`set ${names.at(-1)}`] };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

/** The key, or what to do to have it. */
function keyInVariable(name: string, environment: ProxyEnvironment): FoundKey | string {
  const value = environment[name];
  if (!isSet(value)) return `set ${name}`;
  const secret = value.trim();
  return faultOf(secret, name) ?? { name, secret };
}

/** Why this cannot go into a header, without showing it, or null. */
function faultOf(secret: string, place: string): string | null {
  const at = secret.search(/[^!-~]/);
  if (at === -1) return null;
  return `write the key anew into ${place}: character ${at + 1} of it is none that a key can have`;
}

function keyInFile(path: string): FoundKey | string {
  try {
    const secret = readFileSync(path, 'utf8').trim();
    if (secret === '') return `write the key into ${path}, which is empty`;
    // A key that goes into a header has no room for a line break.
    if (/\s/.test(secret)) return `leave only the key in ${path}, which holds more`;
    return faultOf(secret, path) ?? { name: path, secret };
  } catch (error) {
    return `make ${path} readable (${messageOf(error)})`;
  }
}

function withoutDoubles(keys: readonly FoundKey[]): FoundKey[] {
  return keys.filter(({ secret }, index) => keys.findIndex((key) => key.secret === secret) === index);
}
