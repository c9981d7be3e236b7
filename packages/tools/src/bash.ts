import type { Tool, ToolContext, ToolOutcome } from '@pawl/engine';
import { reachesOutside, readsOnly } from '@pawl/policy';
import { commandEnvironment } from './environment.ts';
import { escapeInvisible, stripTerminal } from './escape.ts';
import type { ToolOptions } from './options.ts';
import { progressReporter } from './progress.ts';
import { runShell, type ShellEnd } from './shell.ts';
import { defineTool, objectSchema } from './tool.ts';

type BashInput = { command: string; timeoutMs?: number };

/** Runs shell commands. What only reads by the policy's table counts as reading, all else as reaching anywhere. */
export function bashTool(options: ToolOptions): Tool {
  const seconds = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;
  return defineTool<BashInput>({
    name: 'bash',
    description: `Runs a bash command in the working folder and returns its output and exit code. Each call is a fresh shell with no terminal and no input. Time limit ${seconds(options.commandTimeoutMs)}.`,
    input: objectSchema(
      {
        command: { type: 'string', minLength: 1 },
        timeoutMs: {
          type: 'integer',
          minimum: 1,
          maximum: options.maxCommandTimeoutMs,
          description: 'Another time limit',
        },
      },
      ['command'],
    ),
    effect: ({ command }) => (readsOnly(command) ? 'read' : 'external'),
    subjectKind: 'command',
    subject: ({ command }) => command,
    approval: ({ command }) => !readsOnly(command) || reachesOutside(command),
    plan: async ({ command }) => ({ preview: { kind: 'text', text: escapeInvisible(command) } }),
    run: (input, context) => run(input, context, options),
  });
}

async function run(
  { command, timeoutMs }: BashInput,
  context: ToolContext,
  options: ToolOptions,
): Promise<ToolOutcome> {
  const limitMs = Math.min(timeoutMs ?? options.commandTimeoutMs, options.maxCommandTimeoutMs);
  const progress = progressReporter(context.progress);
  try {
    const end = await runShell({
      command,
      cwd: context.cwd,
      environment: commandEnvironment(options),
      timeoutMs: limitMs,
      killGraceMs: options.killGraceMs,
      maxOutputBytes: options.maxCommandOutputBytes,
      signal: context.signal,
      onOutput: progress.add,
    });
    return outcomeOf(end, limitMs);
  } finally {
    progress.stop();
  }
}

function outcomeOf(end: ShellEnd, limitMs: number): ToolOutcome {
  const notes: string[] = [];
  if (end.isCancelled) notes.push('Cancelled; the command and all that it started were ended.');
  else if (end.isTimedOut)
    notes.push(`Not finished after ${limitMs} ms; the command and all that it started were ended.`);
  else if (end.endedBy !== null) notes.push(`Ended by ${end.endedBy}.`);
  else if (end.exitCode !== 0) notes.push(`Exit code ${end.exitCode}.`);
  if (end.isHeldOpen)
    notes.push('Something that it started still runs in the background; its output is not shown any more.');
  const output = stripTerminal(end.output.text()).replace(/\n+$/, '');
  const isError = end.exitCode !== 0 || end.isTimedOut || end.isCancelled;
  const text = [output, ...notes.map((note) => `(${note})`)].filter((part) => part !== '').join('\n');
  return {
    content: text === '' ? '(no output)' : text,
    isError,
    details: {
      exitCode: end.exitCode,
      endedBy: end.endedBy,
      durationMs: end.durationMs,
      isTimedOut: end.isTimedOut,
      outputBytes: end.output.totalBytes,
      omittedBytes: end.output.omittedBytes,
    },
  };
}
