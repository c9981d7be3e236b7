/** Composes the message that replaces the earlier conversation, from the session's state and the summary. */
import { textOf, todoLine, untrusted } from '@pawl/protocol';
import { charactersPerToken } from '../history/window.ts';
import { pinsWithinLimit, shortenMiddle } from '../pins/pins.ts';
import type { HistoryMessage, State } from '../state.ts';
import type { Region } from './slice.ts';
import { sliceToBudget } from './slice.ts';
import type { Compaction } from './state.ts';
import { tokensOfMessages, usableTokens } from './window.ts';

/** Share of the window that the message may take. */
const shareOfWindow = 0.25;
/** Share of the message that the task may take, and likewise the latest request. */
const shareOfTask = 0.3;

/** The message may always take this many tokens, however little it replaces. */
const minTokens = 1000;

type ReadySummary = NonNullable<Compaction['ready']>;
type Part = Region & { title: string };

/** The messages that are replaced, and those that stay. */
type HistorySplit = { removed: readonly HistoryMessage[]; kept: readonly HistoryMessage[] };

export function composeSummary(state: State, ready: ReadySummary, cut: HistorySplit): string {
  const budget = usableTokens(state.settings.modelInfo) * shareOfWindow;
  const replaced = Math.max(minTokens, tokensOfMessages(cut.removed));
  const longestTask = Math.floor(budget * shareOfTask * charactersPerToken);
  const { regions, dropped } = sliceToBudget(summaryParts(state, ready, cut, longestTask), budget, replaced);
  const shown = regions
    .filter(({ entries }) => entries.length > 0)
    .map(({ title, name, entries }) => {
      const left = dropped.get(name) ?? 0;
      const note = left === 0 ? [] : [`(${left} more left out for want of room)`];
      return [`## ${title}`, ...note, ...entries.map(({ text }) => text)].join('\n');
    });
  return [opening, ...shown, closing].join('\n\n');
}

/** The engine's own headings. */
const titles = {
  task: 'The task, as it was given',
  asked: 'What was asked last, as it was given',
  corrections: 'What the person said that still holds, word for word',
  inputs: 'What else the person said',
  todos: 'Open todos',
  touched: 'Files that were changed, the last ones last',
  changed: 'Changed since the summary was made: read these again before you rely on them',
  files: 'Files as they are now',
  recalled: 'From memory',
  summary: 'Summary of the work so far',
  digest: 'What was done so far (listed without a model; look where it matters)',
} as const;

const opening =
  'The earlier part of this conversation was compacted. This message, written by the engine, stands for it; the latest messages follow as they were.';
const closing =
  'The whole conversation is kept: search it or read it with the tool `history`. Go on with the work; do not begin it anew.';

/** Lines that begin like this would be taken for the engine's own. */
const engineHeadings = [...Object.values(titles), opening.slice(0, 40), closing.slice(0, 40)].map((text) =>
  text.toLowerCase(),
);

function summaryParts(state: State, ready: ReadySummary, cut: HistorySplit, longestTask: number): Part[] {
  const { files, changed } = fileLines(state, ready);
  const pins = pinsWithinLimit(state.pins);
  const corrections = pins.filter(({ isCorrection }) => isCorrection);
  const asked = requestNotKept(state, cut);
  const plain = pins.filter(({ isCorrection, text }) => !isCorrection && text !== asked);
  const line = ({ text }: { text: string }) => `- ${text.replaceAll('\n', '\n  ')}`;
  const recalled = ready.recalled.map((text) => line({ text }));
  const open = state.todos.items.filter(({ status }) => status !== 'completed');
  return [
    region('task', titles.task, 100, state.task === null ? [] : [shortenMiddle(state.task, longestTask)], true),
    region('asked', titles.asked, 95, asked === null ? [] : [shortenMiddle(asked, longestTask)], true),
    region('corrections', titles.corrections, 90, corrections.map(line), true),
    region('inputs', titles.inputs, 10, plain.map(line)),
    region(
      'todos',
      titles.todos,
      80,
      open.map((todo) => nameOf(todoLine(todo))),
      true,
    ),
    region('summary', summaryTitle(ready), 70, [demoteHeadings(ready.summary)], true),
    region('touched', titles.touched, 40, changedFileLines(state)),
    region('changed', titles.changed, 60, changed),
    region('files', titles.files, 50, files),
    region(
      'recalled',
      titles.recalled,
      20,
      recalled.length === 0 ? [] : [untrusted('memory', {}, recalled.join('\n'))],
    ),
  ];
}

/** The latest request of a person, if its message is removed and no other part holds it. */
function requestNotKept({ latestRequest, task, pins }: State, { kept }: HistorySplit): string | null {
  if (latestRequest === null || latestRequest === task) return null;
  const isKept = kept.some((message) => message.role === 'user' && textOf(message.content) === latestRequest);
  return isKept || pins.some(({ isCorrection, text }) => isCorrection && text === latestRequest) ? null : latestRequest;
}

const summaryTitle = ({ kind }: ReadySummary): string => (kind === 'summary' ? titles.summary : titles.digest);

/** Invisible characters, behind which a text may hide a heading. */
const invisible = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}]/gu;

/**
 * The model's summary with its headings made smaller than the engine's, and lines that read like the engine's headings
 * quoted. Otherwise a page that the model summarised could forge, say, a correction by the person.
 */
function demoteHeadings(summary: string): string {
  return summary
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => {
      const plain = line.replace(invisible, '').trim();
      // A line of = or - makes a heading of the line before it.
      if (/^(?:=+|-+)$/.test(plain)) return '';
      const said = plain.replace(/^[#>*_\s]+|[#*_:\s]+$/gu, '').toLowerCase();
      if (engineHeadings.some((own) => said.startsWith(own))) return `> ${plain.replace(/^[#>*_\s]+/u, '')}`;
      return /^#{1,2}(?!#)/.test(plain) ? plain.replace(/^#{1,2}/, '###') : line;
    })
    .join('\n');
}

function region(name: string, title: string, priority: number, texts: readonly string[], isPreserved = false): Part {
  return { name, title, priority, entries: texts.map((text) => ({ text, isPreserved })) };
}

/** Files that have changed since the summary was made are listed by name only. */
function fileLines(state: State, ready: ReadySummary): { files: string[]; changed: string[] } {
  const isCurrent = ({ path, digest }: ReadySummary['files'][number]) => state.files.get(path) === digest;
  return {
    files: ready.files.filter(isCurrent).map(({ path, text }) => untrusted('file', path, text)),
    changed: ready.files.filter((file) => !isCurrent(file)).map(({ path }) => `- ${nameOf(path)}`),
  };
}

/** On one line, so that a name cannot look like a heading of the message. */
const nameOf = (path: string) => path.replace(/[\r\n\u2028\u2029]+/g, ' ');

const maxTouched = 50;

function changedFileLines({ edited, files }: State): string[] {
  return edited.slice(-maxTouched).map((path) => `- ${nameOf(path)}${files.get(path) === null ? ' (deleted)' : ''}`);
}
