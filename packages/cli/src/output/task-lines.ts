/** What tasks do, in lines: indented below what their owner does. */
import { oneLine } from '@pawl/engine/readers/visible';
import { costText } from '@pawl/engine/readers/words';
import type { DurableEvent, TaskOutcome } from '@pawl/protocol';
import { type KnownCall, toolLine } from '@pawl/terminal/text/tool-line';
import { cutToWidth } from '@pawl/terminal/text/width';
import type { Screen } from './screen.ts';

/** The line of an event that tells of a task, in its owner's session; null for all others. */
export function taskLine(event: DurableEvent, { style, columns }: Pick<Screen, 'style' | 'columns'>): string | null {
  switch (event.type) {
    case 'task.requested': {
      const { task, prompt } = event.data;
      return `${style.cyan('▸')} ${style.bold(oneLine(task))} ${cutToWidth(oneLine(prompt), (columns() ?? 200) - 20)}`;
    }
    case 'task.reopened':
      return `${style.cyan('▸')} ${style.bold(oneLine(event.data.task))} again: ${cutToWidth(oneLine(event.data.reason), 80)}`;
    case 'task.ended': {
      const { task, outcome, message, steps, costUsd } = event.data;
      const isDone = outcome === 'completed';
      const mark = isDone ? style.green('◂') : style.yellow('◂');
      const why = isDone ? '' : ` ${cutToWidth(oneLine(message), 80)}`;
      const cost = style.dim(`${steps} ${steps === 1 ? 'step' : 'steps'}, ${costText(costUsd)}`);
      return `${mark} ${style.bold(oneLine(task))} ${words[outcome]}${why}  ${cost}`;
    }
    default:
      return null;
  }
}

const words: Record<TaskOutcome, string> = {
  completed: 'completed',
  failed: 'failed:',
  cancelled: 'cancelled:',
  out_of_time: 'out of time:',
  blocked: 'asks:',
};

/** Shows the events of tasks: a line for each call and each task of theirs, below the task's name. */
export function taskReporter(screen: Screen): (event: DurableEvent, name: string) => void {
  const calls = new Map<string, KnownCall>();
  return (event, name) => {
    const depth = name.split('.').length;
    const say = (line: string) => screen.line(`${'  '.repeat(depth)}${screen.style.dim(oneLine(name))} ${line}`);
    if (event.type === 'message.added' && event.data.message.role === 'assistant') {
      for (const part of event.data.message.content) {
        if (part.type === 'tool_call') calls.set(`${name} ${part.id}`, { tool: part.tool, input: part.input });
      }
    }
    if (event.type === 'tool.finished') {
      const call = calls.get(`${name} ${event.data.call}`) ?? { tool: event.data.call, input: {} };
      say(toolLine(call, event.data, screen.style, screen.columns()));
    }
    if (event.type === 'model.failed') say(screen.style.red(`✗ ${oneLine(event.data.error.message)}`));
    const line = taskLine(event, screen);
    if (line !== null) say(line);
  };
}
