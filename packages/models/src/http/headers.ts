import type { OutgoingHttpHeaders } from 'node:http';
import type { PawlError } from '@pawl/protocol';
import { modelError } from '../errors.ts';
import { nodeHttp } from './builtin.ts';

/** The error for the first header that Node refuses to send, by its name, or null if it sends them all. */
export function headerError(headers: OutgoingHttpHeaders): PawlError | null {
  const { validateHeaderName, validateHeaderValue } = nodeHttp();
  for (const [name, value] of Object.entries(headers)) {
    if (throws(() => validateHeaderName(name))) {
      return modelError(
        'bad_header',
        `${JSON.stringify(name)} is no name of a header. Correct headers in the settings.`,
      );
    }
    if (throws(() => validateHeaderValue(name, String(value)))) {
      const sentence = `The header "${name}" holds a character that no header can carry. Correct the key or the header in the settings: copy it anew, whole.`;
      return modelError('bad_header', sentence);
    }
  }
  return null;
}

function throws(act: () => void): boolean {
  try {
    act();
    return false;
  } catch {
    return true;
  }
}

/** Headers that every wire sends, the same for all users. Any other header counts as a secret. */
const plainHeaders: ReadonlySet<string> = new Set([
  'accept',
  'anthropic-beta',
  'anthropic-version',
  'content-length',
  'content-type',
  'host',
  'user-agent',
]);
const namedSecret = /authorization|cookie|secret|key|token/i;
/** Shorter values would match everywhere; for headers whose name says that they are secret, a shorter minimum holds. */
const minLength = 8;
const minNamedLength = 4;

/** Whether the value of this header of a request may not be shown: all that a user or a key put there. */
export function isSecretHeader(name: string): boolean {
  return !plainHeaders.has(name.toLowerCase());
}

/** The secrets in these headers, which no text may repeat, without prefixes such as `Bearer`. */
export function secretsIn(headers: OutgoingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (!isSecretHeader(name)) return [];
    const secret = String(value).replace(/^[a-z][a-z0-9-]* +/i, '');
    return secret.length >= (namedSecret.test(name) ? minNamedLength : minLength) ? [secret] : [];
  });
}

/** A text without `secrets`. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((kept, secret) => kept.replaceAll(secret, '[key]'), text);
}
