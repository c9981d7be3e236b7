/** Asks a person at the terminal about one call. */
import { exact, oneLine } from '@pawl/engine/readers/visible';
import { limitOfRule } from '@pawl/policy';
import type { JsonObject, PendingApproval } from '@pawl/protocol';
import { questionLines, shownLines } from '@pawl/terminal/text/approval';
import { editInEditor, editorCommand, readInput } from './editor.ts';
import { askLine, interruptKey } from './keyboard.ts';
import type { AskTerminal, Choice } from './keys.ts';
import { askKey } from './keys.ts';

/** For how long a rule is to hold: the rest of the session, everything in this project, everything of this user. */
export type Scope = 'session' | 'project' | 'user';

export type Answer =
  | { kind: 'allow'; input?: JsonObject; added?: { rule: string; scope: Scope } }
  | { kind: 'deny'; reason: string | null }
  | { kind: 'interrupt' }
  /** Settled elsewhere, or the time ran out. */
  | { kind: 'withdrawn' };

const scopeWords: Record<Scope, string> = {
  session: 'For the rest of this session, allow:',
  project: 'Always in this project, allow:',
  user: 'Always and everywhere, allow:',
};
const scopeKeys: Readonly<Record<string, Scope>> = { s: 'session', p: 'project', u: 'user' };

/** Until the person answers, or `signal` aborts because the question is settled. */
export async function ask(approval: PendingApproval, terminal: AskTerminal, signal: AbortSignal): Promise<Answer> {
  const { output, style } = terminal;
  const lines = questionLines(approval, style);
  const hidden = lines.length - shownLines;
  for (const line of hidden > 0 ? lines.slice(0, shownLines) : lines) output.write(`${line}\n`);
  if (hidden > 0) output.write(`  … ${hidden} more lines; press d to see them\n`);

  let draft: string | null = null;
  for (;;) {
    const question = { prompt: 'Allow?', choices: choices(approval), expiresAt: approval.expiresAt };
    const key = await askKey(question, terminal, signal);
    switch (key) {
      case null:
        return { kind: 'withdrawn' };
      case interruptKey:
        return { kind: 'interrupt' };
      case 'y':
        return { kind: 'allow' };
      case 'd':
        for (const line of lines.slice(shownLines)) output.write(`${line}\n`);
        break;
      case 's':
      case 'p':
      case 'u': {
        const answer = await askRule(approval, scopeKeys[key] ?? 'session', terminal, signal);
        if (answer !== null) return answer;
        break;
      }
      case 'n': {
        const line = await askLine(terminal.stdin, output, 'Why not? (for the model; Enter for nothing) ', { signal });
        if (signal.aborted) return { kind: 'withdrawn' };
        if (line.kind === 'interrupt') return { kind: 'interrupt' };
        if (line.kind === 'line') return { kind: 'deny', reason: line.text.trim() === '' ? null : line.text.trim() };
        break;
      }
      case 'e': {
        const answer = await askInput(approval.input, draft, terminal, signal);
        if (answer.kind !== 'back') return answer;
        draft = answer.draft;
        break;
      }
      default:
    }
  }
}

function choices({ suggestions }: PendingApproval): Choice[] {
  const scopes = [
    { key: 's', text: 'session' },
    { key: 'p', text: 'project' },
    { key: 'u', text: 'always' },
  ];
  return [
    { key: 'y', text: 'once' },
    ...(suggestions.length > 0 ? scopes : []),
    { key: 'n', text: 'deny' },
    { key: 'e', text: 'edit' },
    { key: 'd', text: '' },
  ];
}

/** Which of the suggested rules to add, for how long; null to go back. */
async function askRule(
  { suggestions, expiresAt }: PendingApproval,
  scope: Scope,
  terminal: AskTerminal,
  signal: AbortSignal,
): Promise<Answer | null> {
  const { output, style } = terminal;
  const offered = suggestions.slice(0, 9);
  output.write(`${scopeWords[scope]}\n`);
  offered.forEach((rule, index) => {
    output.write(`  ${style.bold(String(index + 1))} ${exact(rule, style.inverse)}\n`);
    const limit = limitOfRule(rule);
    if (limit !== null) output.write(`    ${style.dim(limit)}\n`);
  });
  const keys = offered.map((_, index) => ({ key: String(index + 1), text: '' }));
  const question = { prompt: 'Which?', choices: [...keys, { key: 'b', text: 'back' }], expiresAt };
  const key = await askKey(question, terminal, signal);
  if (key === null) return { kind: 'withdrawn' };
  if (key === interruptKey) return { kind: 'interrupt' };
  const rule = offered[Number(key) - 1];
  return rule === undefined ? null : { kind: 'allow', added: { rule, scope } };
}

/** The arguments as the person wants them, or what they wrote and does not fit, to go back with. */
async function askInput(
  input: JsonObject,
  draft: string | null,
  terminal: AskTerminal,
  signal: AbortSignal,
): Promise<Answer | { kind: 'back'; draft: string | null }> {
  const { stdin, output, style } = terminal;
  const editor = editorCommand();
  let edited: ReturnType<typeof readInput>;
  if (editor === null) {
    const line = await askLine(stdin, output, 'Arguments: ', { draft: draft ?? JSON.stringify(input), signal });
    if (signal.aborted) return { kind: 'withdrawn' };
    if (line.kind === 'interrupt') return { kind: 'interrupt' };
    if (line.kind === 'back') return { kind: 'back', draft };
    edited = readInput(line.text);
  } else {
    edited = await editInEditor(editor, draft ?? `${JSON.stringify(input, null, 2)}\n`);
    if (signal.aborted) return { kind: 'withdrawn' };
  }
  if (edited.kind === 'input') return { kind: 'allow', input: edited.input };
  output.write(`${style.red(oneLine(edited.message))}\n`);
  return { kind: 'back', draft: edited.text ?? draft };
}
