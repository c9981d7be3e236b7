/** Puts the system prompt together from its pieces: pure, so that the same pieces always give the same prompt. */
import type { Fragment } from '@pawl/protocol';
import type { SurroundingsQuery } from '../../ports.ts';
import { builtinPieces, type Category, type Condition, categories, type Piece } from './pieces.ts';

/** What decides which pieces are said. */
export type PromptQuery = Pick<SurroundingsQuery, 'cwd' | 'agent' | 'role' | 'mode' | 'isAttended' | 'prompts'> & {
  platform: string;
};

/**
 * The region `system`. Of pieces with the same name the last one counts, where it applies: built in, then `layers` in
 * their order (the user's files, the project's), then what was set at runtime. An empty one takes the piece away.
 */
export function composePrompt(query: PromptQuery, layers: readonly (readonly Piece[])[] = []): Fragment[] {
  const pieces = new Map<string, Piece>();
  for (const piece of [...builtinPieces, place(query), ...ownRole(query)]) pieces.set(piece.name, piece);
  for (const piece of [...layers.flat(), ...setPieces(query.prompts)]) {
    if (piece.agents !== undefined && !piece.agents.includes(query.agent)) continue;
    const before = pieces.get(piece.name);
    pieces.set(piece.name, before === undefined ? piece : { ...before, ...piece, category: before.category });
  }
  const said = [...pieces.values()].filter((piece) => piece.text.trim() !== '' && applies(piece, query));
  const rank = ({ category }: Piece) => categories.indexOf(category);
  // Maps keep the order in which names came, so pieces of a category stay where they are.
  return said
    .sort((one, other) => rank(one) - rank(other))
    .map(({ name, text, source }) => ({
      region: 'system',
      name,
      text: text.trim(),
      ...(source !== undefined && { source }),
    }));
}

function applies({ agents, when = [] }: Piece, query: PromptQuery): boolean {
  return (agents === undefined || agents.includes(query.agent)) && when.every((condition) => holds(condition, query));
}

function holds(condition: Condition, { isAttended, mode, platform }: PromptQuery): boolean {
  switch (condition) {
    case 'attended':
      return isAttended;
    case 'unattended':
      return !isAttended;
    case 'plan':
      return mode === 'plan';
    case 'linux':
      return platform === 'linux';
    case 'macos':
      return platform === 'darwin';
    case 'windows':
      return platform === 'win32';
    default:
      return condition satisfies never;
  }
}

const place = ({ cwd }: PromptQuery): Piece => ({
  name: 'folder',
  category: 'place',
  text: `Your working directory is ${cwd}. Relative paths start there.`,
});

function ownRole({ role }: PromptQuery): Piece[] {
  if (role === null) return [];
  const category: Category = 'role';
  return [{ name: 'role', category, text: role.text, ...(role.source !== null && { source: role.source }) }];
}

function setPieces(prompts: ReadonlyMap<string, string>): Piece[] {
  return [...prompts].map(([name, text]) => ({ name, category: 'custom', text }));
}

/** The whole prompt. Each region begins anew; what is in it belongs together. */
export function promptText(fragments: readonly Fragment[]): string {
  let text = '';
  let before: Fragment | null = null;
  for (const fragment of fragments) {
    const isSame = before?.region === fragment.region && fragment.region === 'system';
    text += `${before === null ? '' : isSame ? '\n' : '\n\n'}${fragment.text}`;
    before = fragment;
  }
  return text;
}

/** Of the pieces of a session, which stay the same for many steps. */
const made = new WeakMap<readonly Fragment[], string>();

/** `promptText`, made once for each list: the same text at each step. */
export function promptOf(fragments: readonly Fragment[]): string {
  const known = made.get(fragments) ?? promptText(fragments);
  made.set(fragments, known);
  return known;
}
