/** The machine and the place, as they are when a session begins. */
import { basename, join } from 'node:path';
import type { Fragment } from '@pawl/protocol';
import { readText } from './files.ts';
import { gitLine } from './git-state.ts';

type Environment = Readonly<Record<string, string | undefined>>;
export type Place = {
  cwd: string;
  now: number;
  platform: string;
  environment: Environment;
  /** How long git may take to count what has changed, ms; null, and it is not asked. */
  gitWithinMs: number | null;
};

export async function describeEnvironment(place: Place, signal: AbortSignal): Promise<Fragment> {
  const { cwd, now, platform, environment } = place;
  const [git, ...versions] = await Promise.all([gitLine(place, signal), ...versionFiles.map(versionIn(cwd))]);
  const lines = [
    `- Platform: ${platforms[platform] ?? platform}`,
    `- Date: ${dayOf(now)}`,
    `- Shell of the person: ${word(basename(environment.SHELL ?? '')) ?? 'not known'}; commands are run with bash`,
    `- Git: ${git ?? 'not a repository'}`,
    ...virtualEnvironment(environment),
    ...versions.filter((line) => line !== null),
  ];
  const text = `The place, as it was when this was written:\n${lines.join('\n')}`;
  return { region: 'environment', name: 'environment', text };
}

const platforms: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };

/** A table, because asking for names of days in a language takes 12 ms the first time. */
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** With its weekday: models are asked about next Tuesday. */
function dayOf(now: number): string {
  const date = new Date(now);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${weekdays[date.getDay()]}, ${day}`;
}

function virtualEnvironment({ VIRTUAL_ENV, CONDA_DEFAULT_ENV }: Environment): string[] {
  const python = word(basename(VIRTUAL_ENV ?? ''));
  const conda = word(CONDA_DEFAULT_ENV ?? '');
  return [
    ...(python === null ? [] : [`- Python environment: ${python} (VIRTUAL_ENV)`]),
    ...(conda === null ? [] : [`- Conda environment: ${conda}`]),
  ];
}

/** Files in which a project says which version of a language it wants. */
const versionFiles = [
  ['.nvmrc', 'Node'],
  ['.node-version', 'Node'],
  ['.python-version', 'Python'],
  ['.ruby-version', 'Ruby'],
  ['.java-version', 'Java'],
  ['rust-toolchain', 'Rust'],
] as const;

function versionIn(cwd: string) {
  return async ([file, language]: (typeof versionFiles)[number]): Promise<string | null> => {
    const read = await readText(join(cwd, file), 200, cwd).catch(() => null);
    const version = word(read?.text.split('\n')[0] ?? '');
    return version === null ? null : `- ${language} wanted here: ${version} (${file})`;
  };
}

/** What comes from outside and is to be one plain word; else null. */
function word(text: string): string | null {
  const trimmed = text.trim();
  return /^[\w.+/@-]{1,60}$/.test(trimmed) ? trimmed : null;
}
