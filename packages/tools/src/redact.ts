import type { Redactor } from '@pawl/engine';

/** Shorter ones would take ordinary words with them. */
const leastSecret = 8;
const mark = '[secret]';

/**
 * Takes these secrets out of texts, in the forms that they usually take: as they are, as in JSON, in URLs, in
 * hexadecimal and in Base64 (also in the middle of something longer). It is a net against accidents: whoever means to
 * let one out can write it in another form.
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const forms = [...new Set([...secrets].filter((secret) => secret.length >= leastSecret).flatMap(formsOf))];
  // The longest first, so that no part of it is left behind.
  forms.sort((one, other) => other.length - one.length);
  if (forms.length === 0) return { redact: (text) => text, stream: () => ({ push: (piece) => piece, end: () => '' }) };
  const pattern = new RegExp(forms.map(escapePattern).join('|'), 'g');
  const redact = (text: string) => text.replace(pattern, mark);
  return { redact, stream: () => streamOf(redact, forms) };
}

function streamOf(redact: (text: string) => string, forms: readonly string[]): ReturnType<Redactor['stream']> {
  let held = '';
  return {
    push(piece) {
      const text = redact(held + piece);
      const keep = longestBeginning(text, forms);
      held = text.slice(text.length - keep);
      return text.slice(0, text.length - keep);
    },
    end() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

/** How much of the end of a text may be the beginning of one of these. */
function longestBeginning(text: string, forms: readonly string[]): number {
  const longest = Math.min(text.length, (forms[0]?.length ?? 0) - 1);
  for (let length = longest; length > 0; length--) {
    const end = text.slice(text.length - length);
    if (forms.some((form) => form.length > length && form.startsWith(end))) return length;
  }
  return 0;
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const encoded = [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), hex, hex.toUpperCase()];
  return [secret, ...encoded, ...[0, 1, 2].flatMap((shift) => base64Of(bytes, shift))];
}

/** What Base64 makes of the secret whatever stands around it, when `shift` bytes of a group of three stand before it. */
function base64Of(bytes: Buffer, shift: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
  // The first and the last letter hold bits of their neighbours too.
  const start = Math.ceil((shift * 8) / 6);
  const end = Math.floor((padded.length * 8) / 6);
  const inner = padded.toString('base64').slice(start, end);
  return inner.length < leastSecret ? [] : [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
