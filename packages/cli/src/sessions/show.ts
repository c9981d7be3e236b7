import type { Transcript, TranscriptCall, TranscriptEntry } from '@pawl/engine/readers';
import {
  answerText,
  costText,
  durationText,
  modelText,
  oneLine,
  statusText,
  timeText,
  transcribe,
  visible,
} from '@pawl/engine/readers';
import { createStyle, type Style, wantsColour } from '@pawl/terminal/text/style';
import { cutToWidth } from '@pawl/terminal/text/width';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { openOutput } from '../output/stdout.ts';
import { parseCount } from '../values.ts';
import { findSession } from './find.ts';
import { withLog } from './open.ts';

const usualMessages = 20;
const maxMessages = 100;

export type ShowFlags = { last?: string; full?: true; json?: true };

/** `pawl sessions show`: the last messages and how the turns ended; in full, all of them with nothing cut. */
export async function showSession(named: string, { last, full, json }: ShowFlags): Promise<ExitCode> {
  const usual = full === true ? Number.POSITIVE_INFINITY : usualMessages;
  const wanted = last === undefined ? usual : parseCount('--last', last, maxMessages);
  const events = await withLog(async (log) => log.read((await findSession(log, named)).session));
  const transcript = transcribe(events);
  const entries = lastMessages(transcript.entries, wanted);
  const output = openOutput(process.stdout);
  if (json === true) await output.write(`${JSON.stringify({ ...transcript, entries }, null, 2)}\n`);
  else {
    const left = transcript.entries.length - entries.length;
    await output.write(textOf({ ...transcript, entries }, { left, isFull: full === true }));
  }
  await output.flush();
  return exitCodes.completed;
}

/** From the message that is `count` messages before the end. */
function lastMessages(entries: readonly TranscriptEntry[], count: number): TranscriptEntry[] {
  let left = count;
  let from = entries.length;
  for (let index = entries.length - 1; index >= 0 && left > 0; index--) {
    const kind = entries[index]?.kind;
    from = index;
    if (kind === 'user' || kind === 'assistant') left -= 1;
  }
  return entries.slice(from);
}

function textOf(transcript: Transcript, { left, isFull }: { left: number; isFull: boolean }): string {
  const style = createStyle(wantsColour(process.stdout));
  const { session, title, cwd, model, createdAt, updatedAt, costUsd, entries } = transcript;
  const head = [
    style.bold(title === '' ? '(no input yet)' : oneLine(title)),
    `session ${session} · ${oneLine(modelText(model))} · in ${oneLine(cwd)}`,
    `begun ${timeText(createdAt)} · last change ${timeText(updatedAt)} · cost ${costText(costUsd)}`,
    ...(left > 0
      ? [style.dim(`(${left} earlier entries are not shown; --last shows up to ${maxMessages} messages, --full all)`)]
      : []),
  ];
  return `${[head.join('\n'), ...entries.map((entry) => entryText(entry, style, isFull))].join('\n\n')}\n`;
}

function entryText(entry: TranscriptEntry, style: Style, isFull: boolean): string {
  switch (entry.kind) {
    case 'user': {
      const who = { input: 'you', context: 'context', engine: 'pawl' }[entry.source];
      return `${style.cyan(`${who} (${entry.id})`)}\n${visible(entry.text).trimEnd()}`;
    }
    case 'assistant': {
      const lines = [style.cyan(`agent (${entry.id})`)];
      if (isFull && entry.thinking !== '') lines.push(style.dim(visible(entry.thinking).trimEnd()));
      if (entry.text !== '') lines.push(visible(entry.text).trimEnd());
      if (entry.isPartial) lines.push(style.dim('(cut off)'));
      for (const call of entry.calls) lines.push(...(isFull ? wholeCall(call, style) : [callLine(call, style)]));
      return lines.join('\n');
    }
    case 'turn':
      return style.dim(`── turn ${entry.turn}: ${entry.outcome}, ${entry.steps} steps. ${oneLine(entry.message)}`);
    case 'note':
      return style.dim(`· ${oneLine(entry.text)}`);
    default:
      return entry satisfies never;
  }
}

function callLine({ tool, argument, status, durationMs, content, answer }: TranscriptCall, style: Style): string {
  const mark = status === 'ok' ? style.green('✓') : style.yellow(status === 'open' ? '…' : '✗');
  const time = durationMs === null ? '' : style.dim(`  ${durationText(durationMs)}`);
  const asked = answer === null ? '' : style.dim(`  ${oneLine(answerText(answer))}`);
  const why = status === 'ok' || content === null ? '' : `  ${cutToWidth(oneLine(content), 80)}`;
  return `  ${mark} ${style.bold(oneLine(tool))} ${cutToWidth(oneLine(argument), 80)}${time}${asked}${why}`;
}

/** With all of its arguments, what was decided on it, and all that the model saw of its result. */
function wholeCall(call: TranscriptCall, style: Style): string[] {
  const { tool, input, status, durationMs, rule, answer, content } = call;
  const time = durationMs === null ? '' : `, ${durationText(durationMs)}`;
  const lines = [`  ${style.bold(oneLine(tool))} ${style.dim(`${call.id}, ${statusText(status)}${time}`)}`];
  for (const [name, value] of Object.entries(input)) {
    lines.push(indented(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`));
  }
  if (rule !== null) lines.push(indented(style.dim(`decided by ${oneLine(rule)}`)));
  if (answer !== null) {
    const reason = answer.reason === null ? '' : `: ${oneLine(answer.reason)}`;
    lines.push(indented(style.dim(`${oneLine(answerText(answer))}${reason}`)));
  }
  if (content !== null && content !== '') lines.push(indented(style.dim('result:')), indented(visible(content), 6));
  return lines;
}

function indented(text: string, by = 4): string {
  const lines = visible(text).trimEnd().split('\n');
  return lines.map((line) => `${' '.repeat(by)}${line}`).join('\n');
}
