/** Checks a value against a schema of `kinds.ts`, and tells the first mistake as `place: what`. */
import type { core, ZodMiniType } from 'zod/mini';

type Problem = { path: PropertyKey[]; message: string };

/** The value as the schema has it, or what is wrong with it. The place is written `limits.steps`, or `the file`. */
export function check<Value>(value: unknown, schema: ZodMiniType<Value>): { value: Value } | { problem: string } {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  const { path, message } = mainProblem(result.error.issues);
  return { problem: `${path.length === 0 ? 'the file' : path.join('.')}: ${message}` };
}

/** The first problem; but a misspelt name explains why another one is missing, so it goes before. */
function mainProblem(issues: readonly core.$ZodIssue[]): Problem {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  return issue === undefined ? { path: [], message: 'is not valid' } : problemOf(issue);
}

function problemOf(issue: core.$ZodIssue): Problem {
  const { path, message } = issue;
  switch (issue.code) {
    case 'unrecognized_keys':
      return { path: [...path, issue.keys[0] ?? ''], message };
    case 'invalid_union': {
      const inner = insideUnion(issue);
      return inner === null ? { path, message } : { path: [...path, ...inner.path], message: inner.message };
    }
    default:
      return { path, message };
  }
}

/** The problem of the alternative with the fewest mistakes, unless it is that the value as a whole is of another kind. */
function insideUnion({ errors }: core.$ZodIssueInvalidUnion): Problem | null {
  const nearest = errors
    .toSorted((one, other) => one.length - other.length)
    .map(mainProblem)
    .find(({ path }) => path.length > 0);
  return nearest ?? null;
}
