/** What the engine tells an agent on its way, and what sessions write to each other, as people see it. */
import { oneLine } from '@pawl/engine/readers/visible';
import type { EventData, Mail, UserMessage } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import type { Style } from '@pawl/terminal/text/style';
import type { Tally } from '../run/tally.ts';

/** The first line of what the engine itself says to the agent: why it goes on, what was wrong with its result. */
export function saidLines({ source, content }: UserMessage, style: Style): string[] {
  if (source !== 'engine') return [];
  const [first = ''] = textOf(content).split('\n');
  return [style.dim(`↻ ${oneLine(first)}`)];
}

export function verifiedLine({ ok, output, problem }: EventData['loop.verified'], style: Style): string {
  if (ok) return style.green('✓ The check passed.');
  const last = output.trim().split('\n').at(-1) ?? '';
  return style.yellow(`✗ ${oneLine(problem ?? `The check failed: ${last}`)}`);
}

export function mailLine(who: string, { kind, text }: Mail, style: Style): string {
  return `${style.yellow('✉')} ${oneLine(`${who} (${kind.replaceAll('_', ' ')}): ${text}`)}`;
}

/** What a program reads of a run: the agent's last words; where data was asked for, that alone, and nothing else for it. */
export function finalText({ text, turn, isStructured }: Tally): string {
  if (!isStructured) return text;
  return turn?.outcome === 'completed' && turn.result !== undefined ? JSON.stringify(turn.result) : '';
}
