/** The user's settings, from a file that is checked against a published schema. Nothing is loaded where there is none. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { parseRule } from '@pawl/policy';
import type { Limits, PermissionMode, RuleSet } from '@pawl/protocol';
import { messageOf, PawlError } from '@pawl/protocol';

export type Config = {
  model: string | null;
  mode: PermissionMode | null;
  rules: RuleSet;
  limits: Partial<Limits>;
};

type Written = { model?: string; mode?: PermissionMode; rules?: Partial<RuleSet>; limits?: Partial<Limits> };

/** `PAWL_CONFIG`; else `pawl/config.yaml` under `XDG_CONFIG_HOME`, which counts only if absolute; else under `~/.config`. */
function configPath(environment: NodeJS.ProcessEnv = process.env): string {
  const { PAWL_CONFIG, XDG_CONFIG_HOME } = environment;
  if (PAWL_CONFIG) return resolve(PAWL_CONFIG);
  const folder = XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), '.config');
  return join(folder, 'pawl', 'config.yaml');
}

/** @throws `bad_config`, one line with the file and the place in it. */
export async function readConfig(environment: NodeJS.ProcessEnv = process.env): Promise<Config> {
  const path = configPath(environment);
  if (!existsSync(path)) {
    if (environment.PAWL_CONFIG) throw badConfig(path, 'there is no such file. Correct PAWL_CONFIG, or unset it.');
    return configOf({});
  }
  const value = await parse(path);
  await check(path, value);
  return configOf((value ?? {}) as Written);
}

function configOf({ model, mode, rules, limits }: Written): Config {
  return {
    model: model ?? null,
    mode: mode ?? null,
    rules: { deny: [], ask: [], allow: [], ...rules },
    limits: limits ?? {},
  };
}

async function parse(path: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw badConfig(path, `it cannot be read: ${messageOf(cause)}`, cause);
  }
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw badConfig(path, error.message.split('\n')[0] ?? error.code, error);
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    // An alias inside what it stands for has no end.
    JSON.stringify(value);
    return value;
  } catch (cause) {
    throw badConfig(path, `it refers to itself: ${messageOf(cause).split('\n')[0]}`, cause);
  }
}

async function check(path: string, value: unknown): Promise<void> {
  const { Validator } = await import('@cfworker/json-schema');
  const schema = JSON.parse(readFileSync(new URL('./config.schema.json', import.meta.url), 'utf8'));
  // An empty file says nothing.
  const { valid, errors } = new Validator(schema, '2020-12', true).validate(value ?? {});
  // The innermost error is the one to mend.
  const error = errors.at(-1);
  if (!valid && error !== undefined) {
    const place = decodeURIComponent(error.instanceLocation.slice(2)).replaceAll('/', '.');
    const problem = error.keyword === 'false' ? 'there is no such setting.' : error.error;
    throw badConfig(path, `${place === '' ? 'the file' : place}: ${problem}`);
  }
  const { rules = {} } = (value ?? {}) as Written;
  for (const [list, texts] of Object.entries(rules)) {
    for (const [index, text] of texts.entries()) {
      try {
        parseRule(text);
      } catch (cause) {
        throw badConfig(path, `rules.${list}.${index}: ${messageOf(cause)}`, cause);
      }
    }
  }
}

function badConfig(path: string, problem: string, cause?: unknown): PawlError {
  return new PawlError('bad_config', `${path}: ${problem}`, { cause });
}
