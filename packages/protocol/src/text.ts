import type { Todo, UserPart } from './types.ts';

/** What a person said, as text; a file stands as its name in brackets. Parts are lines of their own. */
export function textOf(content: readonly UserPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.name ?? part.mediaType}]`)).join('\n');
}

const todoMarks = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;

/** `[~] Water the roses`: an entry of a list as it is shown everywhere. */
export function todoLine({ text, status }: Todo): string {
  return `${todoMarks[status]} ${text}`;
}
