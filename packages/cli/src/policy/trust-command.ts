/** `pawl trust`: shows what a project would bring along, and lets it take effect. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { visible } from '@pawl/engine/readers/visible';
import type { JsonObject } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { parseConfig } from '../config/parse.ts';
import { projectConfigPath, projectFolder } from '../config/paths.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { openOutput } from '../output/stdout.ts';
import { usageError } from '../usage-error.ts';
import { parseFolder } from '../values.ts';
import { readTrust, trustOf, writeTrust } from './trust.ts';

export type TrustFlags = { yes?: true; json?: true };

/** @throws `usage` where nobody can be asked and `--yes` is not given, `bad_config`, `bad_trust`. */
export async function trustProject(named: string | undefined, { yes, json }: TrustFlags): Promise<ExitCode> {
  const { folder, path } = projectOf(named);
  const settings = path === null ? {} : ((await parseConfig(path)) as JsonObject);
  const { state, shipped, digest } = trustOf(folder, settings);
  const output = openOutput(process.stdout);
  const places = shipped.map(({ place, does, content }) => `  ${place}: ${does}\n    ${JSON.stringify(content)}`);
  if (json !== true)
    await output.write(`${[`${folder}: ${words[state]}`, ...places].map((line) => visible(line)).join('\n')}\n`);
  const isNew = digest !== null && state !== 'trusted';
  let isTrusted = !isNew;
  if (isNew) {
    await output.flush();
    isTrusted = yes === true || (await isAgreed());
    if (isTrusted) writeTrust({ ...readTrust(), [folder]: { digest, at: Date.now() } });
  }
  if (json === true) await output.write(`${JSON.stringify({ folder, state, isTrusted, digest, shipped }, null, 2)}\n`);
  else if (isNew) await output.write(isTrusted ? 'Trusted, until any of it changes.\n' : 'Not trusted.\n');
  await output.flush();
  return isTrusted ? exitCodes.completed : exitCodes.failed;
}

/** The folder that its settings belong to. */
function projectOf(named: string | undefined): { folder: string; path: string | null } {
  const inside = parseFolder('folder', named ?? '.');
  const path = projectConfigPath(inside);
  return { folder: path === null ? projectFolder(inside) : dirname(dirname(path)), path };
}

const words = {
  none: 'brings nothing along that needs trust.',
  trusted: 'is trusted with exactly this:',
  changed: 'has changed since it was trusted. It now brings along:',
  unknown: 'brings along:',
};

async function isAgreed(): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw usageError('Nobody is there to be asked. Read what is shown above, then: pawl trust --yes');
  }
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await reader.question('Let this take effect? [y/N] ')).trim());
  } finally {
    reader.close();
  }
}

/** @throws `bad_trust`. */
export async function listTrusted({ json }: TrustFlags): Promise<ExitCode> {
  const projects = Object.entries(readTrust()).map(([folder, { digest, at }]) => ({
    folder,
    digest,
    at: new Date(at).toISOString(),
    isThere: existsSync(folder),
  }));
  const output = openOutput(process.stdout);
  const lines = projects.map(({ folder, at, isThere }) => `${visible(folder)}  ${at}${isThere ? '' : '  (gone)'}\n`);
  await output.write(json === true ? `${JSON.stringify({ projects }, null, 2)}\n` : lines.join(''));
  await output.flush();
  return exitCodes.completed;
}

/** @throws `not_trusted`, `bad_trust`. */
export async function removeTrust(named: string | undefined): Promise<ExitCode> {
  const projects = readTrust();
  // Of a project that is gone, its name is enough.
  const isNamed = named !== undefined && Object.hasOwn(projects, resolve(named));
  const folder = isNamed ? resolve(named) : projectOf(named).folder;
  if (!Object.hasOwn(projects, folder)) {
    throw new PawlError('not_trusted', 'This folder is not trusted. See which are with: pawl trust list');
  }
  writeTrust(Object.fromEntries(Object.entries(projects).filter(([each]) => each !== folder)));
  const output = openOutput(process.stdout);
  await output.write(`No longer trusted: ${visible(folder)}\n`);
  await output.flush();
  return exitCodes.completed;
}
