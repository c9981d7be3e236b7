import { type Attempt, PawlError } from '@pawl/protocol';

/** What a caller may want to know of a failed model call beyond its code and sentence. */
export type FailureDetails = {
  /** HTTP status, where there was an answer. */
  status?: number;
  /** How long the provider asks to wait. */
  retryAfterMs?: number;
  /** The provider's name for this request, to quote in a report to it. */
  requestId?: string;
  /** All that was tried, this failure included, where a pool made the call. */
  attempts?: readonly Attempt[];
};

const detailsKey = 'details';

/** A PawlError with what else is known of the failure; read it with `failureDetails`. */
export function modelError(
  code: string,
  message: string,
  details: FailureDetails = {},
  options?: ErrorOptions,
): PawlError {
  return Object.assign(new PawlError(code, message, options), { [detailsKey]: details });
}

/** What is known of a failure beyond its code and sentence; empty for errors from elsewhere. */
export function failureDetails(error: unknown): FailureDetails {
  if (typeof error !== 'object' || error === null || !(detailsKey in error)) return {};
  const details = error[detailsKey];
  return typeof details === 'object' && details !== null ? details : {};
}

/** Codes of failures that may be gone at the next try with the same request and the same key. */
const transientCodes: ReadonlySet<string> = new Set([
  'rate_limited',
  'overloaded',
  'server_error',
  'connection_failed',
  'connection_lost',
  'connect_timeout',
  'first_byte_timeout',
  'idle_timeout',
  'request_timeout',
  'stream_cut',
  'bad_stream',
]);

/** Whether the same request may succeed if it is simply sent again. */
export function isTransientFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && isTransientCode(String(error.code));
}

/** The same, of an error that is only known by its code. */
export function isTransientCode(code: string): boolean {
  return transientCodes.has(code);
}
