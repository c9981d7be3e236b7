/** Asks a person at the terminal about one call. */
import type { ReadStream } from 'node:tty';
import { exact, oneLine } from '@pawl/engine/readers/visible';
import type { JsonObject, PendingApproval, RuleChange } from '@pawl/protocol';
import type { Style } from '../output/style.ts';
import { editInEditor, editorCommand, readInput } from './editor.ts';
import { askLine, interruptKey, listenForKeys } from './keyboard.ts';
import { leftText, questionLines, shownLines } from './question.ts';

export type Answer =
  | { kind: 'allow'; input?: JsonObject; rules?: RuleChange[] }
  | { kind: 'deny'; reason: string | null }
  | { kind: 'interrupt' }
  /** Settled elsewhere, or the time ran out. */
  | { kind: 'withdrawn' };

export type AskTerminal = {
  stdin: ReadStream;
  output: NodeJS.WriteStream;
  style: Style;
  /** Whether a line can be written over, to show the time that is left. */
  canRedraw: boolean;
};

/** Until the person answers, or `signal` aborts because the question is settled. */
export async function ask(approval: PendingApproval, terminal: AskTerminal, signal: AbortSignal): Promise<Answer> {
  const { output, style } = terminal;
  const lines = questionLines(approval, style);
  const hidden = lines.length - shownLines;
  for (const line of hidden > 0 ? lines.slice(0, shownLines) : lines) output.write(`${line}\n`);
  if (hidden > 0) output.write(`  … ${hidden} more lines; press d to see them\n`);

  for (;;) {
    const key = await askKey(choices(approval), approval, terminal, signal);
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
      case 's': {
        const answer = await askRule(approval, terminal, signal);
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
        const answer = await askInput(approval, terminal, signal);
        if (answer !== null) return answer;
        break;
      }
      default:
    }
  }
}

type Choice = { key: string; text: string };

function choices({ suggestions }: PendingApproval): Choice[] {
  return [
    { key: 'y', text: 'once' },
    ...(suggestions.length > 0 ? [{ key: 's', text: 'session' }] : []),
    { key: 'n', text: 'deny' },
    { key: 'e', text: 'edit' },
  ];
}

/** The next key that is one of the choices; null when the question is settled. */
async function askKey(
  offered: readonly Choice[],
  { expiresAt }: PendingApproval,
  { stdin, output, style, canRedraw }: AskTerminal,
  signal: AbortSignal,
): Promise<string | null> {
  const words = offered.map(({ key, text }) => `${style.bold(key)} ${text}`).join(style.dim(' · '));
  const draw = () => {
    const left = leftText(expiresAt, Date.now());
    const line = `Allow? ${words}${left === '' ? '' : style.dim(`  (${left} left)`)} `;
    output.write(canRedraw ? `\r\u001b[K${line}` : line);
  };
  const keys = new Set([...offered.map(({ key }) => key), 'd', interruptKey]);
  let close: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  let settle: (key: string | null) => void = () => undefined;
  const answered = new Promise<string | null>((resolve) => {
    settle = resolve;
  });
  const withdraw = () => settle(null);
  signal.addEventListener('abort', withdraw, { once: true });
  if (signal.aborted) withdraw();
  try {
    close = await listenForKeys(stdin, (key) => {
      if (keys.has(key.toLowerCase())) settle(key.toLowerCase());
    });
    draw();
    if (canRedraw && expiresAt !== null) timer = setInterval(draw, 1000);
    const key = await answered;
    output.write(key === null || key === interruptKey ? '\n' : `${key}\n`);
    return key;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', withdraw);
    close();
  }
}

/** Which of the suggested rules to add for the rest of the session; null to go back. */
async function askRule(approval: PendingApproval, terminal: AskTerminal, signal: AbortSignal): Promise<Answer | null> {
  const { output, style } = terminal;
  const { suggestions } = approval;
  output.write('For the rest of this session, allow:\n');
  suggestions.slice(0, 9).forEach((rule, index) => {
    output.write(`  ${style.bold(String(index + 1))} ${exact(rule, style.inverse)}\n`);
  });
  const keys = suggestions.slice(0, 9).map((_, index) => ({ key: String(index + 1), text: '' }));
  const key = await askKey([...keys, { key: 'b', text: 'back' }], approval, terminal, signal);
  if (key === null) return { kind: 'withdrawn' };
  if (key === interruptKey) return { kind: 'interrupt' };
  const rule = suggestions[Number(key) - 1];
  return rule === undefined ? null : { kind: 'allow', rules: [{ list: 'allow', rule }] };
}

/** The arguments as the person wants them; null to go back. */
async function askInput(approval: PendingApproval, terminal: AskTerminal, signal: AbortSignal): Promise<Answer | null> {
  const { stdin, output, style } = terminal;
  const editor = editorCommand();
  let edited: ReturnType<typeof readInput>;
  if (editor === null) {
    const draft = JSON.stringify(approval.input);
    const line = await askLine(stdin, output, 'Arguments: ', { draft, signal });
    if (signal.aborted) return { kind: 'withdrawn' };
    if (line.kind === 'interrupt') return { kind: 'interrupt' };
    if (line.kind === 'back') return null;
    edited = readInput(line.text);
  } else {
    edited = await editInEditor(editor, approval.input);
    if (signal.aborted) return { kind: 'withdrawn' };
  }
  if (edited.kind === 'input') return { kind: 'allow', input: edited.input };
  output.write(`${style.red(oneLine(edited.message))}\n`);
  return null;
}
