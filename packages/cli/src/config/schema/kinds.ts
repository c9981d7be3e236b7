/**
 * The kinds of values in settings files. Each carries the sentence that a person reads when a value is of another kind;
 * the names of settings come from the issue's path.
 */
import { suggestion } from '@pawl/models/near';
import * as z from 'zod/mini';

type Issue = z.core.$ZodRawIssue;
type ErrorMessage = { error: (issue: Issue) => string };

/** `must be a list, is "demo"`: what is allowed, and what the file has instead. */
export function mustBe(allowed: string): ErrorMessage {
  return { error: ({ input }) => (input === undefined ? 'is missing' : `must be ${allowed}, is ${valueText(input)}`) };
}

/** For values that may be secrets: a message that does not repeat them. */
export function mustBeSecret(allowed: string): ErrorMessage {
  return { error: () => `must be ${allowed}` };
}

// A schema here checks one file. Zod would otherwise write and compile a function for each object that it checks.
z.config({ jitless: true });

/** A setting that may be left out, with the description that editors show. */
export function setting<Schema extends z.ZodMiniType>(description: string, schema: Schema) {
  const optional = z.exactOptional(schema);
  z.globalRegistry.add(optional, { description });
  return optional;
}

/** A setting that must be there. The schema is copied, because a description belongs to one place. */
export function required<Schema extends z.ZodMiniType>(description: string, schema: Schema): Schema {
  return schema.check(z.describe(description)) as Schema;
}

export const flag = z.boolean(mustBe('true or false'));

export const anyText = z.string(mustBe('a text'));

const aText = mustBe('a text that is not empty');
export const text = z.string(aText).check(z.minLength(1, aText));

/** A text of the form of `pattern`; `message` says so in place of the pattern, here and in editors. */
export function textLike(pattern: RegExp, message: string, error: ErrorMessage = { error: () => message }) {
  return z.string(error).check(z.regex(pattern, error), z.meta({ errorMessage: message }));
}

export function oneOf<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, mustBe(alternatives(words.map((word) => `"${word}"`))));
}

export function wholeNumber({ from, to }: { from: number; to?: number }) {
  const error = mustBe(`a whole number${rangeText(from, to)}`);
  return z.int(error).check(z.minimum(from, error), ...(to === undefined ? [] : [z.maximum(to, error)]));
}

export function numberFrom(from: number, to?: number) {
  const error = mustBe(`a number${rangeText(from, to)}`);
  return z.number(error).check(z.minimum(from, error), ...(to === undefined ? [] : [z.maximum(to, error)]));
}

const aPositiveNumber = mustBe('a number greater than 0');
export const positiveNumber = z.number(aPositiveNumber).check(z.gt(0, aPositiveNumber));

export function list<Item extends z.ZodMiniType>(item: Item) {
  return z.array(item, mustBe('a list'));
}

export function filledList<Item extends z.ZodMiniType>(item: Item, allowed = 'a list with at least one entry') {
  const error = mustBe(allowed);
  return z.array(item, error).check(z.minLength(1, error));
}

const aMapping = mustBe('a mapping of names to values');

/** Values by names that the user chooses. */
export function mapping<Name extends z.ZodMiniType<string, string>, Value extends z.ZodMiniType>(
  name: Name,
  value: Value,
) {
  return z.record(name, value, {
    error: (issue) => (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? aMapping.error(issue),
  });
}

/** Names in other programs' settings of what Pawl has too. */
const namesElsewhere = new Map([
  ['defaultMode', 'mode'],
  ['permissions', 'rules'],
]);

/** Settings by names that are fixed; any other name is refused, with the one that was probably meant. */
export function group<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return aMapping.error(issue);
      const [name = ''] = issue.keys;
      const elsewhere = namesElsewhere.get(name);
      const isHere = elsewhere !== undefined && Object.hasOwn(shape, elsewhere);
      const near = isHere ? ` Did you mean "${elsewhere}"?` : suggestion(name, Object.keys(shape));
      return `there is no such setting.${near}`;
    },
  });
}

function rangeText(from: number, to: number | undefined): string {
  return to === undefined ? ` from ${from}` : ` from ${from} to ${to}`;
}

function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function valueText(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
