import { PawlError } from '@pawl/protocol';
import type { ToolOutcome } from '../ports.ts';

/** The type of each optional part of an outcome. */
const kinds: { [Part in keyof ToolOutcome]?: 'string' | 'boolean' | 'object' | 'list' } = {
  isError: 'boolean',
  files: 'list',
  details: 'object',
  endsTurn: 'string',
  isBlocked: 'boolean',
  stage: 'string',
  todos: 'list',
  notes: 'object',
  mail: 'list',
  plan: 'string',
  envelope: 'object',
  offers: 'list',
};

/**
 * The value that a tool returned as an outcome; a text is the text for the model.
 * @throws `bad_outcome` for any other value, which an untyped tool may return.
 */
export function outcomeOf(tool: string, returned: unknown): ToolOutcome {
  if (typeof returned === 'string') return { content: returned };
  if (typeof returned !== 'object' || returned === null || Array.isArray(returned)) {
    throw badOutcome(tool, `returned ${nameOf(returned)}`);
  }
  const parts = returned as { [part: string]: unknown };
  if (typeof parts.content !== 'string') {
    throw badOutcome(tool, `returned an object whose "content" is ${nameOf(parts.content)}`);
  }
  for (const [part, kind] of Object.entries(kinds)) {
    const value = parts[part];
    if (value !== undefined && kindOf(value) !== kind) {
      throw badOutcome(tool, `returned an object whose "${part}" is ${nameOf(value)}`);
    }
  }
  return returned as ToolOutcome;
}

function badOutcome(tool: string, fault: string): PawlError {
  return new PawlError(
    'bad_outcome',
    `The tool ${tool} was run, and ${fault}. It has to return a text, or an object like { content: "text for the model" }.`,
  );
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}

function nameOf(value: unknown): string {
  const kind = kindOf(value);
  if (kind === 'null' || kind === 'undefined') return kind;
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
