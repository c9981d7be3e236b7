const marker = Symbol.for('pawl.error');

/**
 * An error that a caller can act on. `code` is stable; the message is a sentence that says what to do.
 * Recognised by `isPawlError`, not by `instanceof`, so that two copies of this package agree.
 */
export class PawlError extends Error {
  readonly code: string;
  readonly [marker] = true;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PawlError';
    this.code = code;
  }
}

/** Whether `error` is a PawlError, with this code if one is given. */
export function isPawlError(error: unknown, code?: string): error is PawlError {
  if (typeof error !== 'object' || error === null || !(marker in error)) return false;
  return code === undefined || (error as PawlError).code === code;
}

/** The sentence of anything that can be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `error` if it is a PawlError already, else one with `code` that keeps it as the cause. */
export function toPawlError(error: unknown, code: string): PawlError {
  return isPawlError(error) ? error : new PawlError(code, messageOf(error), { cause: error });
}
