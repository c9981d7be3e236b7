import { PawlError } from '@pawl/protocol';

/** A mistake of the command line, as the one line that says how to write it. Ends in exit code 2. */
export function usageError(message: string, options?: ErrorOptions): PawlError {
  return new PawlError('usage', message, options);
}
