/**
 * The second reader: tree-sitter's grammar of bash, as WebAssembly. It is loaded when the first command comes that is
 * more than plain words, and never before.
 */
import { PawlError } from '@pawl/protocol';
import type { Node, Parser } from 'web-tree-sitter';
import type { Found, FoundCommand, FoundRedirect, Span } from './reading.ts';

let parser: Parser | null = null;
let loading: Promise<void> | null = null;

export function isGrammarLoaded(): boolean {
  return parser !== null;
}

/** @throws `no_grammar` when the grammar's file is missing or damaged; no shell command can be judged then. */
export function loadGrammar(): Promise<void> {
  loading ??= load().catch((cause: unknown) => {
    loading = null;
    throw new PawlError(
      'no_grammar',
      'The grammar that reads shell commands could not be loaded, so they cannot be judged. Install Pawl again.',
      { cause },
    );
  });
  return loading;
}

async function load(): Promise<void> {
  const { Language, Parser: Reader } = await import('web-tree-sitter');
  const { readFile } = await import('node:fs/promises');
  await keepUnoptimized();
  await Reader.init();
  const bytes = await readFile(new URL('./tree-sitter-bash.wasm', import.meta.url));
  const bash = await Language.load(new Uint8Array(bytes));
  parser = new Reader().setLanguage(bash);
}

/**
 * V8 would optimize the grammar's largest function after some thirty commands, which takes half a gigabyte of memory
 * and most of a second, to save ten microseconds a command. The settings are asked whenever it thinks of that, so they
 * hold for all WebAssembly of the process from now on.
 */
async function keepUnoptimized(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

const commandTypes = ['command', 'declaration_command', 'unset_command', 'test_command'];
const otherTypes = ['variable_assignment', 'file_redirect', 'heredoc_redirect'];
const allTypes = [...commandTypes, ...otherTypes];

/** What the grammar finds. Depths and operators are left to the other reader. @throws `no_grammar` before it is loaded. */
export function readTree(text: string): Found {
  if (parser === null)
    throw new PawlError('no_grammar', 'Load the grammar before a shell command is read: loadGrammar().');
  const tree = parser.parse(text);
  if (tree === null) throw new PawlError('no_grammar', 'The grammar gave up on this command. Write a simpler one.');
  try {
    const commands: FoundCommand[] = [];
    const redirects: FoundRedirect[] = [];
    const root = tree.rootNode;
    for (const node of root.descendantsOfType(allTypes)) collect(node, commands, redirects);
    const doubts = root.hasError ? ['it is no complete command line'] : [];
    return { commands, redirects, loops: [], doubts };
  } finally {
    tree.delete();
  }
}

function collect(node: Node, commands: FoundCommand[], redirects: FoundRedirect[]): void {
  switch (node.type) {
    case 'command':
      commands.push(simpleCommand(node));
      break;
    case 'declaration_command':
    case 'unset_command':
      commands.push(commandOf([], node.children.map(spanOf)));
      break;
    case 'test_command':
      commands.push(commandOf([], operandsOf(node)));
      break;
    case 'variable_assignment': {
      const owner = node.parent?.type;
      if (owner !== 'command' && owner !== 'declaration_command') commands.push(commandOf([spanOf(node)], []));
      break;
    }
    case 'file_redirect':
      redirects.push(...redirectOf(node));
      break;
    default:
      break;
  }
}

const spanOf = ({ startIndex, endIndex }: Node): Span => ({ from: startIndex, to: endIndex });
const commandOf = (assignments: Span[], words: Span[]): FoundCommand => ({ assignments, words, depth: 0, next: '' });

/**
 * The grammar takes every word behind a redirect for a target of it. The shell takes the first; the others belong to the
 * command.
 */
function simpleCommand(node: Node): FoundCommand {
  const assignments: Span[] = [];
  const words: Span[] = [];
  for (const child of node.children) {
    if (child.type === 'variable_assignment') assignments.push(spanOf(child));
    else if (child.type === 'file_redirect') words.push(...wordsBehind(child));
    else if (child.type !== 'herestring_redirect' && child.type !== 'heredoc_redirect') words.push(spanOf(child));
  }
  if (node.parent?.type === 'redirected_statement') {
    for (const sibling of node.parent.children) {
      if (sibling.type === 'file_redirect') words.push(...wordsBehind(sibling));
      if (sibling.type === 'heredoc_redirect') words.push(...wordsOfHeredoc(sibling));
    }
  }
  return commandOf(
    assignments,
    words.sort((one, other) => one.from - other.from),
  );
}

const wordsBehind = (redirect: Node): Span[] => redirect.childrenForFieldName('destination').slice(1).map(spanOf);

function wordsOfHeredoc(node: Node): Span[] {
  const own = node.childrenForFieldName('argument').map(spanOf);
  const nested = node.children.filter(({ type }) => type === 'file_redirect');
  return [...own, ...nested.flatMap(wordsBehind)];
}

function redirectOf(node: Node): FoundRedirect[] {
  const closing = node.children.find(({ type }) => type === '>&-' || type === '<&-');
  if (closing !== undefined) {
    const { startIndex, endIndex } = closing;
    return [{ operator: closing.type.slice(0, 2), target: { from: startIndex + 2, to: endIndex } }];
  }
  const [target] = node.childrenForFieldName('destination');
  const operator = node.children.find(({ type }) => /^(?:[<>]|&>)/.test(type))?.type ?? '';
  return target === undefined ? [] : [{ operator, target: spanOf(target) }];
}

const structures = new Set(['unary_expression', 'binary_expression', 'parenthesized_expression', 'test_command']);

/** The words of a test, which the grammar builds into a tree. */
function operandsOf(node: Node): Span[] {
  return node.children.flatMap((child) => (structures.has(child.type) ? operandsOf(child) : [spanOf(child)]));
}
