/** The exit codes that scripts can rely on. */
import { isTransientCode } from '@pawl/models/errors';
import type { TurnOutcome } from '@pawl/protocol';
import { isPawlError } from '@pawl/protocol';

export const exitCodes = {
  completed: 0,
  failed: 1,
  /** A mistake in the command line, the environment or the configuration. */
  usage: 2,
  /** Completed, but something was refused because nobody was there to be asked. */
  unattended: 3,
  /** A limit was reached: steps, time, tokens, dollars, or the length of an answer. */
  limit: 4,
  blocked: 6,
  /** The same may work later: the provider asks to wait, or another process has the session. */
  later: 75,
  cancelled: 130,
  /** Nobody reads the output any more: 128 and the number of SIGPIPE, as of any program in a pipe. */
  unread: 141,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Failures of a model call that only the user's settings cure. */
const settingCodes = new Set([
  'no_key',
  'bad_base_url',
  'bad_header',
  'unknown_model',
  'unknown_variant',
  'unknown_tool',
  'bad_schema',
]);

/** What the end of a turn means to a script. `failure` is the code of the last failed model call. */
export function exitCodeOf(
  turn: { outcome: TurnOutcome; unattendedDenials: number },
  failure: string | null,
): ExitCode {
  switch (turn.outcome) {
    case 'completed':
      return turn.unattendedDenials > 0 ? exitCodes.unattended : exitCodes.completed;
    case 'failed':
      if (failure !== null && isTransientCode(failure)) return exitCodes.later;
      return failure !== null && settingCodes.has(failure) ? exitCodes.usage : exitCodes.failed;
    case 'cancelled':
      return exitCodes.cancelled;
    case 'max_steps':
    case 'max_duration':
    case 'budget':
    case 'truncated':
      return exitCodes.limit;
    case 'blocked':
      return exitCodes.blocked;
    default:
      return turn.outcome satisfies never;
  }
}

/** Errors that the user cures by writing something else on the command line or in the environment. */
const usageCodes = new Set([
  ...settingCodes,
  'usage',
  'no_model',
  'no_session',
  'no_message',
  'bad_rule',
  'bad_config',
  'bad_agent',
  'unknown_agent',
  'no_plan',
  'no_note',
  'no_task',
  'no_rule',
  'not_trusted',
  'bad_cassette',
  'no_cassette',
  'cassette_too_new',
  'record_failed',
  'bad_session_id',
  'bad_home',
  'price_unknown',
  'log_too_new',
  'bad_import',
  'bad_command',
]);

/** What an error that stopped everything means to a script. */
export function exitCodeOfError(error: unknown): ExitCode {
  if (!isPawlError(error)) return exitCodes.failed;
  if (error.code === 'session_locked' || isTransientCode(error.code)) return exitCodes.later;
  return usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
}
