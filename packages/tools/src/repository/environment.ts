/** What keeps git from running anything that a repository's settings name, and from talking to anybody. */
import { dirname, isAbsolute } from 'node:path';
import { isInside } from '@pawl/policy';
import type { Repository } from './find.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Setting = readonly [key: string, value: string];

/** Settings that name a program or ask for one. Given through the environment, they hold over every file. */
const safeSettings: readonly Setting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', ':'],
  ['core.askPass', ''],
  ['core.sshCommand', 'false'],
  ['core.gitProxy', ''],
  ['core.alternateRefsCommand', 'false'],
  ['core.untrackedCache', 'false'],
  ['credential.helper', ''],
  ['diff.external', ''],
  // Files to be read whole, which may be pipes or have no end.
  ['diff.orderFile', '/dev/null'],
  ['log.mailmap', 'false'],
  ['interactive.diffFilter', ''],
  ['log.showSignature', 'false'],
  ['commit.gpgSign', 'false'],
  ['gpg.program', 'false'],
  ['gpg.openpgp.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.ssh.defaultKeyCommand', 'false'],
  ['gpg.x509.program', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['protocol.allow', 'never'],
  ['submodule.recurse', 'false'],
  ['safe.bareRepository', 'explicit'],
  ['i18n.commitEncoding', 'UTF-8'],
  ['i18n.logOutputEncoding', 'UTF-8'],
];

/**
 * Settings of drivers, whose names a repository makes up: by what they end in, and what makes them do nothing.
 * Attributes in the working tree choose among them.
 */
const drivers: readonly (readonly [pattern: RegExp, value: string])[] = [
  [/^filter\..+\.(?:clean|smudge|process)$/s, ''],
  [/^filter\..+\.required$/s, 'false'],
  [/^diff\..+\.(?:command|textconv)$/s, ''],
  [/^merge\..+\.driver$/s, ''],
  [/^hook\..+\.command$/s, ''],
  [/^hook\..+\.enabled$/s, 'false'],
  [/^gpg\..+\.(?:program|defaultkeycommand)$/s, 'false'],
  [/^credential\..+\.helper$/s, ''],
  [/^trailer\..+\.(?:command|cmd)$/s, ''],
  [/^remote\..+\.(?:uploadpack|receivepack|vcs|proxy)$/s, 'false'],
];

/** More drivers than this nobody has; each takes two variables, and git looks through all of them again and again. */
const maxDrivers = 500;

/** What silences the drivers among a repository's keys. */
export function disabledDrivers(keys: readonly string[]): Setting[] {
  return keys.flatMap((key): Setting[] => {
    const found = drivers.find(([pattern]) => pattern.test(key));
    return found === undefined ? [] : [[key, found[1]]];
  });
}

/** What is wrong with settings that silence drivers, or null: a name that is no text cannot be given through the environment. */
export function problemOf(driverSettings: readonly Setting[]): string | null {
  if (driverSettings.length > maxDrivers) return `has settings for more than ${maxDrivers} drivers`;
  return driverSettings.some(([key]) => key.includes('\ufffd')) ? 'has a driver whose name is not UTF-8' : null;
}

/** What a repository may not choose for itself, though the user may: a file of attributes, which is read whole. */
export function overriddenSettings(settings: readonly { scope: string; key: string }[]): Setting[] {
  const isChosen = settings.some(
    ({ scope, key }) => key === 'core.attributesfile' && /^(?:local|worktree)$/.test(scope),
  );
  return isChosen ? [['core.attributesFile', '']] : [];
}

/**
 * What is put on top of the environment of a shell command that only reads, so that git in it runs nothing that a
 * repository's settings name. Drivers of files have names of their own and are not among these: what would ask them
 * (differences, the state of the working tree) is not taken for reading there.
 */
export const readOnlyGitEnvironment: Readonly<Record<string, string>> = {
  ...settingVariables(safeSettings),
  GIT_CONFIG_PARAMETERS: '',
  GIT_OPTIONAL_LOCKS: '0',
  // A missing object of a partial clone would be fetched, by whatever program its remote names.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: '',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
};

function settingVariables(settings: readonly Setting[]): Record<string, string> {
  return {
    ...Object.fromEntries(settings.map(([key], index) => [`GIT_CONFIG_KEY_${index}`, key])),
    ...Object.fromEntries(settings.map(([, value], index) => [`GIT_CONFIG_VALUE_${index}`, value])),
    GIT_CONFIG_COUNT: String(settings.length),
  };
}

/**
 * The whole environment of a git call. Nothing of ours goes in but where programs and the user's own settings are;
 * least of all variables of git's. `driverSettings` are what `disabledDrivers` found.
 */
export function gitEnvironment(
  own: Environment,
  { top }: Repository,
  driverSettings: readonly Setting[],
): Record<string, string> {
  const kept = ['HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'USER', 'LOGNAME', 'TZ'].flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const settings = [...safeSettings, ...driverSettings];
  return {
    ...Object.fromEntries(kept),
    ...settingVariables(settings),
    PATH: programPath(own.PATH ?? '', top),
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    // A missing object of a partial clone would be fetched, by whatever program its remote names.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_EDITOR: ':',
    GIT_PAGER: 'cat',
    // The working tree is where it was found, whatever core.worktree says.
    GIT_WORK_TREE: top,
    GIT_CEILING_DIRECTORIES: dirname(top),
  };
}

/** Without the folders that the project could put a `git` of its own into. */
function programPath(path: string, top: string): string {
  const folders = path.split(':').filter((folder) => isAbsolute(folder) && !isInside(top, folder));
  return folders.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : folders.join(':');
}
