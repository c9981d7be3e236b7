/** Keys that a provider's error may repeat. The SDK sends them, so the bridge has to find out what they are. */
import { fields, secretsIn, withoutSecrets } from '@pawl/models/wiring';
import type { PawlError } from '@pawl/protocol';
import type { AiSdkModel } from './types.ts';

const minLength = 8;
const secretVariable = /key|token|secret|password|credential/i;

/** A word that may be a key, or what a provider left of it: long, and of more than letters. */
const keyLike = /(?=[\w*.…-]*[\d*…])[\w*-][\w*.…-]{14,}[\w*-]/g;

/** The error without any key in its sentence: it goes into the log. */
export async function withoutKeys(error: PawlError, model: AiSdkModel): Promise<PawlError> {
  error.message = withoutSecrets(error.message, [...(await headerSecrets(model)), ...environmentSecrets()]);
  // Of a model in a wrapping nothing is known: where a key is refused, no word stays that may be one.
  if (error.code === 'unauthorized') error.message = error.message.replace(keyLike, '[key]');
  return error;
}

/** The SDK's own models hold how they make their headers; nothing says that a model must. */
async function headerSecrets(model: AiSdkModel): Promise<string[]> {
  try {
    const { headers } = fields(fields(model).config);
    const made: unknown = typeof headers === 'function' ? await headers() : headers;
    const given = Object.entries(fields(made)).filter(([, value]) => typeof value === 'string');
    return secretsIn(Object.fromEntries(given) as { [name: string]: string });
  } catch {
    return [];
  }
}

function environmentSecrets(): string[] {
  return Object.entries(process.env).flatMap(([name, value = '']) =>
    secretVariable.test(name) && value.length >= minLength ? [value] : [],
  );
}
