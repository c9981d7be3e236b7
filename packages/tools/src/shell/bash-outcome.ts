import type { ToolOutcome } from '@pawl/engine';
import { stripTerminal } from '../escape.ts';
import { hostsText, type Launch, limitNotes } from '../sandbox/index.ts';
import type { ShellEnd } from './shell.ts';
import { isAsking } from './terminal.ts';

/** What a command has come to, for the model and for people. `setRight` is what had to be done about what it left. */
export function outcomeOf(
  end: ShellEnd,
  limitMs: number,
  launch: Launch | null,
  setRight: string | null = null,
): ToolOutcome {
  const output = stripTerminal(end.output.text()).replace(/\n+$/, '');
  const isError = end.exitCode !== 0 || end.isTimedOut || end.isCancelled;
  const notes = [
    ...endNotes(end, limitMs, output),
    ...refusalNotes(launch),
    ...historyNotes(output, launch),
    ...(isError && launch !== null
      ? limitNotes(launch.limits, { exitCode: end.exitCode, output: output.slice(-8000) })
      : []),
    ...(isError ? sandboxNotes(output, launch) : []),
  ];
  if (setRight !== null) notes.push(setRight);
  const text = [output, ...notes.map((note) => `(${note})`)].filter((part) => part !== '').join('\n');
  return {
    content: text === '' ? '(no output)' : text,
    isError,
    details: {
      exitCode: end.exitCode,
      endedBy: end.endedBy,
      durationMs: end.durationMs,
      isTimedOut: end.isTimedOut,
      outputBytes: end.output.totalBytes,
      omittedBytes: end.output.omittedBytes,
      isContained: launch !== null,
    },
  };
}

function endNotes(end: ShellEnd, limitMs: number, output: string): string[] {
  const notes: string[] = [];
  const why = end.isTurnOver ? 'The time of the turn was up' : 'Cancelled';
  if (end.isCancelled) notes.push(`${why}; the command and all that it started were ended.`);
  else if (end.isTimedOut) {
    notes.push(`Not finished after ${limitMs} ms; the command and all that it started were ended.`);
    notes.push(
      isAsking(output)
        ? 'It seems to wait for an answer, and commands get none: use an option that answers, such as --yes.'
        : 'What does not end by itself, such as a server, is run with background.',
    );
  } else if (end.endedBy !== null) notes.push(`Ended by ${end.endedBy}.`);
  else if (end.exitCode !== 0) notes.push(`Exit code ${end.exitCode}.`);
  if (end.isHeldOpen)
    notes.push('Something that it started still runs in the background; its output is not shown any more.');
  return notes;
}

const blockedWrite = /read-only file system|operation not permitted|EROFS|EPERM|device or resource busy/i;
const blockedNetwork =
  /network is unreachable|could not resolve|couldn't resolve|temporary failure in name resolution|name or service not known|nodename nor servname|no address associated|EAI_AGAIN|ENETUNREACH|ENOTFOUND|failed to lookup address|no such host|connection refused|failed to connect/i;

const brokenHistory =
  /bad object|not a git repository|unable to read|invalid (?:object|sha1|reference)|ambiguous argument/i;

const maxRefused = 5;

/** Which hosts it was kept from, whether it minded or not. */
export function refusalNotes(launch: Launch | null): string[] {
  const refused = launch?.gateway?.refused() ?? [];
  if (refused.length === 0 || launch === null || typeof launch.network === 'string') return [];
  const more = refused.length - maxRefused;
  const places = [...refused.slice(0, maxRefused), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return [
    `The sandbox refused network access to ${places}. It lets commands reach: ${hostsText(launch.network)}. The user can add hosts to sandboxNetwork in the settings; to run it once without, use outside: true; a person is asked.`,
  ];
}

/** That git finds no history, whatever the command made of that. */
function historyNotes(output: string, launch: Launch | null): string[] {
  if (launch?.hidesHistory !== true || !brokenHistory.test(output.slice(-8000))) return [];
  return [
    'The history of this repository holds what a rule denies to be read, so the sandbox does not show it, and git does not work in it. The git tools do; or run it with outside: true; a person is asked.',
  ];
}

/** That it may be the sandbox that stood in the way, where the output looks like it. */
function sandboxNotes(output: string, launch: Launch | null): string[] {
  if (launch === null) return [];
  const end = output.slice(-8000);
  const { network, gateway } = launch;
  // What was refused has been said.
  const isNetwork = network !== 'on' && !gateway?.refused().length && blockedNetwork.test(end);
  if (!isNetwork && !blockedWrite.test(end)) return [];
  const what = isNetwork
    ? typeof network === 'string'
      ? 'has no network'
      : `lets programs that go through the proxy in HTTPS_PROXY reach ${hostsText(network)}, and nothing else`
    : launch.isFolderWritable
      ? 'lets commands change only this folder and /tmp, without .git/config, hooks, .pawl and the like'
      : 'lets commands change nothing but /tmp';
  return [`It ran in a sandbox, which ${what}. If it needs more, run it with outside: true; a person is asked.`];
}
