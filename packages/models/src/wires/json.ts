import type { Json, JsonObject } from '@pawl/protocol';

/** A function whose result is kept as long as its argument lives. Messages are never changed, so neither is their form. */
export function memo<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}

/** The last result is kept: for an argument that stays the same from call to call. */
export function memoLast<Value>(make: (text: string) => Value): (text: string) => Value {
  let last: { text: string; value: Value } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, value: make(text) };
    return last.value;
  };
}

/** JSON that every provider takes: half a surrogate pair, which a cut in a text leaves, becomes U+FFFD. */
export function toJson(value: Json | object): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? inner.toWellFormed() : inner));
}

/** The inside of an object of fields with their JSON, in their order; `own` wins, and what is null is left out. */
export function fieldsJson(made: { readonly [name: string]: string | null }, own: JsonObject): string {
  let inside = '';
  for (const name in made) {
    const json = made[name];
    if (json !== null && !(name in own)) inside += `${inside === '' ? '' : ','}"${name}":${json}`;
  }
  for (const name in own) inside += `${inside === '' ? '' : ','}${JSON.stringify(name)}:${toJson(own[name] ?? null)}`;
  return inside;
}
