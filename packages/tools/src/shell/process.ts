import type { Tool, ToolContext, ToolOutcome } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import { escapeInvisible, stripTerminal } from '../escape.ts';
import { defineTool, objectSchema } from '../tool.ts';
import type { Background, BackgroundProcess } from './background/index.ts';
import type { LogPart, OutputLog } from './background/log.ts';
import { refusalNotes } from './bash-outcome.ts';
import { firstBlank, lastBlank } from './output.ts';

type ProcessInput = { action: 'list' | 'output' | 'stop'; id?: string; since?: number; waitMs?: number };

/** How much of an output one call shows, bytes. */
const maxShown = 30_000;
const longestWaitMs = 60_000;

/** Looks after the processes that bash started in the background. */
export function processTool(background: Background): Tool {
  return defineTool<ProcessInput>({
    name: 'process',
    description:
      'Lists background processes, shows the output and state of one, or stops it. Output is the latest; with since, from that byte on.',
    input: objectSchema(
      {
        action: { type: 'string', enum: ['list', 'output', 'stop'] },
        id: { type: 'string', description: 'All but list' },
        since: { type: 'integer', minimum: 0 },
        waitMs: { type: 'integer', minimum: 0, maximum: longestWaitMs, description: 'Wait for something new so long' },
      },
      ['action'],
    ),
    isOutside: true,
    effect: ({ action }) => (action === 'stop' ? 'idempotent' : 'read'),
    isPolling: ({ action }) => action !== 'stop',
    subject: ({ action }) => action,
    // They are the session's own.
    approval: () => false,
    run: (input, context) => run(input, context, background),
  });
}

async function run(input: ProcessInput, context: ToolContext, background: Background): Promise<ToolOutcome> {
  const processes = background.list(context.session);
  if (input.action === 'list') {
    const lines = processes.map((process) => `${process.id}  ${stateOf(process)}  ${oneLine(process.command)}`);
    return { content: lines.length === 0 ? 'There are no background processes.' : lines.join('\n') };
  }
  const process = processes.find(({ id }) => id === input.id);
  if (process === undefined) {
    const there =
      processes.length === 0 ? 'There are none.' : `There are: ${processes.map(({ id }) => id).join(', ')}.`;
    throw new PawlError(
      'no_process',
      `There is no background process ${input.id === undefined ? 'without an id' : `"${input.id}"`}. ${there} Those of an earlier run of this program ended with it.`,
    );
  }
  switch (input.action) {
    case 'stop':
      if (process.end === null) await process.stop();
      return { content: `${process.id}: ${stateOf(process)}.`, details: detailsOf(process) };
    case 'output':
      return output(process, input, context);
    default:
      return input.action satisfies never;
  }
}

async function output(
  process: BackgroundProcess,
  { since, waitMs = 0 }: ProcessInput,
  { signal }: ToolContext,
): Promise<ToolOutcome> {
  const { log } = process;
  const start = since ?? log.totalBytes;
  if (waitMs > 0 && log.totalBytes <= start) {
    await newsOf(process, waitMs, signal);
  }
  const part = shownOf(log, since);
  const notes = [
    ...(part.isLost ? [`What came before byte ${part.from} is no longer kept.`] : []),
    ...(part.next < log.totalBytes ? [`There is more: since ${part.next}.`] : []),
    ...(log.problem === null ? [] : [`Its output is no longer kept: ${log.problem}.`]),
    ...(process.end?.setRight ? [process.end.setRight] : []),
    ...refusalNotes(process.launch),
    `${process.id}: ${stateOf(process)}. ${log.totalBytes} bytes of output so far; the log is ${log.path}.`,
  ];
  const text = stripTerminal(new TextDecoder().decode(part.bytes)).replace(/\n+$/, '');
  return {
    content: [text, ...notes.map((note) => `(${note})`)].filter((line) => line !== '').join('\n'),
    details: { ...detailsOf(process), next: part.next },
  };
}

/** Resolves when there is something new, or the time is over. */
async function newsOf(process: BackgroundProcess, waitMs: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  // One of `AbortSignal.timeout` would not keep this program from ending meanwhile.
  const timer = setTimeout(() => over.abort(), waitMs);
  await process.changed(AbortSignal.any([signal, over.signal]));
  clearTimeout(timer);
}

/** A page begins and ends with whole words, so that no half of a key is on each of two; one that was asked for begins there. */
function shownOf(log: OutputLog, since: number | undefined): LogPart {
  const part = log.read(since ?? Math.max(0, log.totalBytes - maxShown), maxShown);
  const start = since === undefined && part.from > 0 ? firstBlank(part.bytes) : 0;
  const end = part.next < log.totalBytes ? lastBlank(part.bytes) || part.bytes.length : part.bytes.length;
  return { ...part, bytes: part.bytes.subarray(start, end), from: part.from + start, next: part.from + end };
}

/** `runs since 12 s`, `ended with exit code 1 after 3 s`. */
export function stateOf({ end, startedAt }: BackgroundProcess): string {
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
  if (end === null) return `runs since ${seconds(Date.now() - startedAt)}`;
  const after = `after ${seconds(end.durationMs)}`;
  switch (end.why) {
    case 'stopped':
      return `was stopped ${after}`;
    case 'overtime':
      return `was ended ${after}, the longest time that it had`;
    case 'itself':
      return end.endedBy === null
        ? `ended with exit code ${end.exitCode} ${after}`
        : `ended by ${end.endedBy} ${after}`;
    default:
      return end.why satisfies never;
  }
}

export function detailsOf({ id, group, startedAt, log, end }: BackgroundProcess) {
  return { process: id, group, startedAt, log: log.path, isRunning: end === null, exitCode: end?.exitCode ?? null };
}

const oneLine = (command: string) => escapeInvisible(command).replaceAll(/\s+/g, ' ').slice(0, 100);
