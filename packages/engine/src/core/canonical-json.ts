/** JSON with keys in order and without undefined ones: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  let members = '';
  for (const key of Object.keys(value).sort((left, right) => (left < right ? -1 : 1))) {
    const entry = (value as { [key: string]: unknown })[key];
    if (entry === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(entry)}`;
  }
  return `{${members}}`;
}
