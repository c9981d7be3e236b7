/** The calls of a run: what runs now, and a line for each that is over with what stands below it. */
import { oneLine, visible } from '@pawl/engine/readers/visible';
import type { AssistantMessage, EventData, Question, TransientEvent } from '@pawl/protocol';
import type { KnownCall } from '@pawl/terminal/text/tool-line';
import { callText, toolLine } from '@pawl/terminal/text/tool-line';
import type { Screen } from './screen.ts';
import { toolDetails } from './tool-details.ts';
import { answerLines, noticeLine } from './work.ts';

export type Calls = {
  screen: Screen;
  /** Shows all that tools say. */
  isVerbose: boolean;
  known: Map<string, KnownCall>;
  running: Set<string>;
  /** What the agent asked the person in a call. */
  asked: Map<string, readonly Question[]>;
  /** Changes that were judged, and that nobody was shown. */
  previews: Map<string, string>;
};

export function createCalls(screen: Screen, isVerbose: boolean): Calls {
  return { screen, isVerbose, known: new Map(), running: new Set(), asked: new Map(), previews: new Map() };
}

export function callsMade({ known }: Calls, { content }: AssistantMessage): void {
  for (const part of content) {
    if (part.type === 'tool_call') known.set(part.id, { tool: part.tool, input: part.input });
  }
}

export function callJudged({ previews, asked }: Calls, { call, preview, questions }: EventData['tool.judged']): void {
  if (preview?.kind === 'diff') previews.set(call, preview.text);
  if (questions !== undefined) asked.set(call, questions);
}

export function approvalRequested(
  { known, previews }: Calls,
  { call, tool, input }: EventData['approval.requested'],
): void {
  known.set(call, { tool, input });
  // The person who is asked sees it there.
  previews.delete(call);
}

export function approvalResolved({ known }: Calls, { call, input }: EventData['approval.resolved']): void {
  const changed = known.get(call);
  if (changed !== undefined && input !== undefined) changed.input = input;
}

export function questionAnswered({ screen, asked }: Calls, data: EventData['question.answered']): void {
  for (const line of answerLines(data, asked.get(data.call) ?? [], screen.style)) screen.line(line);
}

export function callStarted(calls: Calls, { call }: EventData['tool.started']): void {
  calls.running.add(call);
  showRunning(calls);
}

export function callFinished(calls: Calls, finished: EventData['tool.finished']): void {
  const { screen, isVerbose, known, running, previews } = calls;
  const { style } = screen;
  const { call } = finished;
  running.delete(call);
  const columns = screen.columns();
  screen.line(toolLine(known.get(call) ?? { tool: call, input: {} }, finished, style, columns));
  const diff = previews.get(call) ?? null;
  previews.delete(call);
  if (columns !== null || isVerbose) {
    const lines = toolDetails(finished, { style, columns: columns ?? 200, isVerbose, diff });
    if (lines.length > 0) screen.line(lines.join('\n'));
  }
  const notice = noticeLine(finished, style);
  if (notice !== null) screen.line(notice);
}

type Progress = Extract<TransientEvent, { type: 'tool.progress' }>['data'];

export function callProgressed({ screen, isVerbose, known }: Calls, { call, text, done, total }: Progress): void {
  const progressed = known.get(call);
  if (progressed === undefined || (text === undefined && done === undefined)) return;
  if (isVerbose && text !== undefined) {
    for (const line of visible(text).trimEnd().split('\n')) screen.line(`  ${screen.style.dim(line)}`);
  }
  const share = done === undefined || total === undefined ? '' : ` ${done}/${total}`;
  const last = text === undefined ? '' : ` ${oneLine(text.slice(-200))}`;
  screen.status(`${callText(progressed)}${share}${last}`);
}

export function showRunning({ screen, known, running }: Calls): void {
  const texts = [...running].flatMap((id) => {
    const call = known.get(id);
    return call === undefined ? [] : [callText(call)];
  });
  screen.status(texts.length > 1 ? `${texts.length} tools: ${texts.join(', ')}` : (texts[0] ?? 'thinking'));
}
