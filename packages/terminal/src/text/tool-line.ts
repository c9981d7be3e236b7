/** One line for one finished call: how it ended, what it was, what it changed, how long it took. */
import { mainArgument } from '@pawl/engine/readers/argument';
import { oneLine } from '@pawl/engine/readers/visible';
import { durationText } from '@pawl/engine/readers/words';
import type { EventData, JsonObject, ToolStatus } from '@pawl/protocol';
import type { Style } from './style.ts';
import { cutToWidth, textWidth } from './width.ts';

export type KnownCall = { tool: string; input: JsonObject };

const marks: Record<ToolStatus, string> = {
  ok: '✓',
  error: '✗',
  denied: '⊘',
  cancelled: '⊘',
  out_of_time: '⊘',
  unknown: '?',
};

/** `bash npm test`: what is being done, on one line. */
export function callText({ tool, input }: KnownCall): string {
  return `${oneLine(tool)} ${oneLine(mainArgument(input))}`.trimEnd();
}

export function toolLine(
  call: KnownCall,
  finished: EventData['tool.finished'],
  style: Style,
  columns: number | null,
): string {
  // The call itself has at least the half of a narrow line.
  const text = callText(call);
  const notes = notesOf(finished, columns === null ? longestNote : noteRoom(text, columns));
  const tail = notes.length === 0 ? '' : `  ${notes.map(({ text }) => text).join('  ')}`;
  const room = columns === null ? null : Math.max(8, columns - 3 - textWidth(tail));
  const [tool = '', ...argument] = (room === null ? text : cutToWidth(text, room)).split(' ');
  const painted = notes.map(({ text: note, paint }) => (paint === null ? note : style[paint](note))).join('  ');
  const line = `${markOf(finished.status, style)} ${style.bold(tool)} ${argument.join(' ')}`.trimEnd();
  return painted === '' ? line : `${line}  ${painted}`;
}

function markOf(status: ToolStatus, style: Style): string {
  const mark = marks[status];
  if (status === 'ok') return style.green(mark);
  return status === 'error' ? style.red(mark) : style.yellow(mark);
}

type Note = { text: string; paint: 'green' | 'red' | 'yellow' | 'dim' | null };

/** Where there is no width to fit into. */
const longestNote = 300;
/** What a time takes, with the space before it. */
const timeWidth = 8;

/** What a short call leaves of the line, and at least its half. */
const noteRoom = (call: string, columns: number) =>
  Math.max(Math.floor(columns / 2), columns - textWidth(call) - 5) - timeWidth;

function notesOf(
  { status, content, details, durationMs, isUnattended }: EventData['tool.finished'],
  longest: number,
): Note[] {
  const notes: Note[] = [];
  const { added, removed, exitCode } = details ?? {};
  if (typeof added === 'number' && typeof removed === 'number') notes.push(...changeNotes(added, removed));
  if (typeof exitCode === 'number' && exitCode !== 0) notes.push({ text: `exit ${exitCode}`, paint: 'red' });
  else if (status !== 'ok') {
    // The mark says that it was not run.
    const said = oneLine(content).replace(/^Not run: (?=the user |refused |nobody )/, '');
    const why = isUnattended === true ? 'nobody was there to be asked' : cutToWidth(said, longest);
    notes.push({ text: why, paint: status === 'error' ? 'red' : 'yellow' });
  }
  if (durationMs !== undefined) notes.push({ text: durationText(durationMs), paint: 'dim' });
  return notes;
}

function changeNotes(added: number, removed: number): Note[] {
  if (added === 0 && removed === 0) return [{ text: 'no change', paint: 'dim' }];
  return [
    ...(added > 0 ? [{ text: `+${added}`, paint: 'green' as const }] : []),
    ...(removed > 0 ? [{ text: `−${removed}`, paint: 'red' as const }] : []),
  ];
}
