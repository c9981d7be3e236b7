import { dirname } from 'node:path';
import { isInside } from '@pawl/policy';
import type { Confinement } from './confinement.ts';

export const seatbeltProgram = '/usr/bin/sandbox-exec';

/** Devices that programs write to as a matter of course. */
const devices = ['/dev/null', '/dev/zero', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/dtracehelper'];

/** Services that would start something outside of the sandbox on a command's behalf. */
const launchers = [
  'com.apple.coreservices.launchservicesd',
  'com.apple.coreservices.appleevents',
  'com.apple.lsd.open',
  'com.apple.lsd.xpc',
];

/** The arguments that contain a command on macOS, its own words to be put behind them. */
export function seatbeltArguments(confinement: Confinement): string[] {
  return [seatbeltProgram, '-p', seatbeltProfile(confinement), '--'];
}

/** Of rules that match, the last counts. */
export function seatbeltProfile(confinement: Confinement): string {
  const {
    folder,
    isFolderWritable,
    writable = [confinement.folder],
    hasNetwork,
    proxyPort = null,
    temporary,
    absent = [],
    hidden,
    anchored,
    guarded,
  } = confinement;
  const below = (paths: readonly string[]) => paths.map((path) => `(subpath ${quote(path)})`).join(' ');
  const exactly = (paths: readonly string[]) => paths.map((path) => `(literal ${quote(path)})`).join(' ');
  const rule = (verdict: string, targets: string) => (targets === '' ? [] : [`(${verdict} ${targets})`]);
  const kept = isFolderWritable ? guarded.map(({ path }) => path) : [];
  // Whoever moves a folder moves what is guarded in it.
  const holders = isFolderWritable
    ? [...new Set([...anchored, ...kept.flatMap((path) => foldersAbove(path, folder))])]
    : [];
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${below([temporary, ...(isFolderWritable ? writable : [])])} ${exactly(devices)} (regex #"^/dev/fd/"))`,
    ...rule('deny file-write*', below(kept)),
    ...rule('deny file-write-unlink', exactly(holders)),
    ...absent.flatMap(({ path, seen }) => [
      `(deny file-read* ${below([path])})`,
      // The way to what is seen, and nothing of what lies beside it.
      `(allow file-read-metadata ${exactly([path, ...[folder, ...seen.map(({ from }) => from)].flatMap((each) => foldersAbove(each, path))])})`,
      `(allow file-read* ${below([folder, temporary, ...seen.map(({ from }) => from)])})`,
    ]),
    ...rule('deny file-read* file-write*', below(hidden.map(({ path }) => path))),
    ...(hasNetwork ? [] : ['(deny network*)']),
    ...(hasNetwork || proxyPort === null ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
    `(deny mach-lookup ${launchers.map((name) => `(global-name ${quote(name)})`).join(' ')})`,
    '(deny appleevent-send)',
    '(deny job-creation)',
    '(deny signal)',
    '(allow signal (target same-sandbox))',
    '',
  ].join('\n');
}

function foldersAbove(path: string, folder: string): string[] {
  const above = dirname(path);
  return above !== folder && isInside(folder, above) ? [above, ...foldersAbove(above, folder)] : [];
}

/** A string of the profile's language. */
function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
