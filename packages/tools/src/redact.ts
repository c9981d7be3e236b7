import type { Redactor } from '@pawl/engine';

/** A secret by the name under which its owner knows it: of a variable, of a provider. */
export type NamedSecret = { name: string; value: string };

/**
 * Keys of well-known services, by their form. They stand alone, and hold what no word does. Each has a part that is always
 * the same, which is looked for first.
 */
const forms: readonly (readonly [name: string, form: RegExp])[] = [
  ['anthropic', /sk-ant-[\w-]{20,}/],
  ['openrouter', /sk-or-[\w-]{20,}/],
  ['openai', /sk-(?=[\w-]*[0-9])(?=[\w-]*[A-Za-z])[\w-]{32,}/],
  ['google', /AIza[\w-]{35}/],
  ['google', /ya29\.[\w-]{20,}/],
  ['github', /gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,}/],
  ['gitlab', /glpat-[\w-]{20,}/],
  ['aws', /A(?:KIA|SIA)[0-9A-Z]{16}/],
  ['slack', /xox[abeprs]-[A-Za-z0-9-]{10,}/],
  ['huggingface', /hf_[A-Za-z0-9]{30,}/],
  ['npm', /npm_[A-Za-z0-9]{36}/],
  ['pypi', /pypi-[\w-]{50,}/],
  ['stripe', /[rs]k_live_[A-Za-z0-9]{20,}/],
  ['groq', /gsk_[A-Za-z0-9]{40,}/],
  ['xai', /xai-[A-Za-z0-9]{40,}/],
  ['private-key', /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{20,}?-----END [A-Z ]*PRIVATE KEY-----/],
];

/** What every form begins with: where it is not, nothing more is looked for. */
const beginnings =
  /sk-|AIza|ya29\.|gh[pousr]_|github_pat_|glpat-|AKIA|ASIA|xox[abeprs]-|hf_|npm_|pypi-|k_live_|gsk_|xai-|PRIVATE KEY/;
const anyForm = new RegExp(forms.map(([, form]) => `(?<![\\w+/=-])(${form.source})(?![\\w-])`).join('|'), 'g');

/** Without those by their form. */
function withoutForms(text: string): string {
  if (!beginnings.test(text)) return text;
  return text.replace(anyForm, (_, ...groups: unknown[]) => {
    const index = groups.slice(0, forms.length).findIndex((each) => each !== undefined);
    return `[secret:${forms[index]?.[0] ?? 'key'}]`;
  });
}

/** Shorter ones would take ordinary words with them. */
const minSecret = 8;
const mark = '[secret]';

/**
 * Takes these secrets out of texts, in the forms that they usually take: as they are, as in JSON, in URLs, in
 * hexadecimal and in Base64 (also in the middle of something longer). It is a net against accidents: whoever means to
 * let one out can write it in another form.
 */
export function createRedactor(secrets: Iterable<string | NamedSecret>): Redactor {
  const named = [...secrets]
    .map((secret) => (typeof secret === 'string' ? { name: 'key', value: secret } : secret))
    .filter(({ value }) => value.length >= minSecret);
  const names = new Map(named.flatMap(({ name, value }) => formsOf(value).map((form) => [form, name] as const)));
  // The longest first, so that no part of it is left behind.
  const all = [...names.keys()].sort((one, other) => other.length - one.length);
  if (all.length === 0) {
    return { redact: (text) => text, keep: withoutForms, stream: () => ({ push: (piece) => piece, end: () => '' }) };
  }
  const pattern = new RegExp(all.map(escapePattern).join('|'), 'g');
  const redact = (text: string) => text.replace(pattern, mark);
  const marked = (text: string) => text.replace(pattern, (form) => `[secret:${names.get(form) ?? 'key'}]`);
  return { redact, keep: (text) => withoutForms(marked(text)), stream: () => streamOf(redact, all) };
}

function streamOf(redact: (text: string) => string, known: readonly string[]): ReturnType<Redactor['stream']> {
  let held = '';
  return {
    push(piece) {
      const text = redact(held + piece);
      const keep = longestBeginning(text, known);
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
  return inner.length < minSecret ? [] : [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
