const escapes: { [character: string]: number } = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** A path as git writes it: in quotes, with octal bytes, where it has unusual characters. */
export function unquotePath(path: string): string {
  const trimmed = path.trim();
  if (!/^".*"$/.test(trimmed)) return trimmed;
  const bytes: Buffer[] = [];
  const pattern = /\\([0-7]{3})|\\(.)|([^\\]+)/gsu;
  for (const [, octal, character, plain] of trimmed.slice(1, -1).matchAll(pattern)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]));
    else if (character !== undefined) bytes.push(Buffer.from([escapes[character] ?? character.charCodeAt(0)]));
    else bytes.push(Buffer.from(plain ?? ''));
  }
  return Buffer.concat(bytes).toString('utf8');
}
