/** The rows of one entry of the transcript. Pure; what models and tools say is made harmless here. */
import { oneLine, visible } from '@pawl/engine/readers/visible';
import { costText, durationText } from '@pawl/engine/readers/words';
import type { TaskOutcome, TurnOutcome } from '@pawl/protocol';
import { todoLine } from '@pawl/protocol';
import type { EndItem, Item, LineItem, SaidItem, TaskEndItem, ThoughtItem, TodosItem } from '../model/items.ts';
import { createMarkdown } from '../text/markdown.ts';
import { cutToWidth } from '../text/width.ts';
import { wrapTable, wrapText } from '../text/wrap.ts';
import { callLines } from './call.ts';
import type { Look } from './look.ts';

export function itemLines(item: Item, look: Look): string[] {
  const { style, columns } = look;
  switch (item.kind) {
    case 'said':
      return saidLines(item, look);
    case 'thought':
      return thoughtLines(item, look);
    case 'answer':
      return markdownLines(item.text, look);
    case 'call':
      return callLines(item, look);
    case 'line':
      return toneLines(item, look);
    case 'todos':
      return todosLines(item, look);
    case 'plan':
      return [
        style.bold('Plan'),
        ...markdownLines(item.text, { ...look, columns: columns - 2 }).map((line) => `  ${line}`),
      ];
    case 'task':
      return [
        cutToWidth(`▸ ${oneLine(item.task)}  ${oneLine(item.prompt)}`, columns).replace(
          /^▸ (\S+)/,
          (_, name) => `${style.cyan('▸')} ${style.bold(name)}`,
        ),
      ];
    case 'task-end':
      return taskEndLines(item, look);
    case 'end':
      return endLines(item, look);
    default:
      return item satisfies never;
  }
}

/** Text that is whole, as Markdown. */
function markdownLines(text: string, { style, columns }: Pick<Look, 'style' | 'columns'>): string[] {
  const markdown = createMarkdown(style, () => columns);
  const shown = markdown.push(visible(text.trim())) + markdown.end();
  return shown.split('\n');
}

function saidLines({ text, source }: SaidItem, { style, columns }: Look): string[] {
  if (source === 'engine') {
    const [first = ''] = text.split('\n');
    return [style.dim(cutToWidth(`↻ ${oneLine(first)}`, columns))];
  }
  const mark = source === 'context' ? '+ ' : '› ';
  const rows = wrapText(visible(text), columns - 2);
  return rows.map((row, index) => (index === 0 ? `${style.cyan(mark)}${style.bold(row)}` : `  ${style.bold(row)}`));
}

function thoughtLines({ text, startedAt, endedAt }: ThoughtItem, { style, columns, now, isUnfolded }: Look): string[] {
  const time = durationText((endedAt ?? now) - startedAt);
  const title = endedAt === null ? `✻ thinking ${time}` : endedAt === startedAt ? '✻ thought' : `✻ thought for ${time}`;
  if (!isUnfolded) {
    // While it thinks, its last words say about what.
    const last = endedAt === null ? oneLine(text.slice(-200)).slice(-Math.max(0, columns - title.length - 4)) : '';
    return [style.dim(cutToWidth(last === '' ? title : `${title}  ${last}`, columns))];
  }
  return [style.dim(title), ...wrapText(visible(text.trim()), columns - 2).map((row) => `  ${style.dim(row)}`)];
}

function toneLines({ text, tone }: LineItem, { style, columns }: Look): string[] {
  const paint = { plain: (row: string) => row, quiet: style.dim, warning: style.yellow, error: style.red }[tone];
  return wrapTable(visible(tone === 'error' ? `✗ ${text}` : text), columns).map(paint);
}

function todosLines({ todos }: TodosItem, { style, columns }: Look): string[] {
  const paints = { pending: (text: string) => text, in_progress: style.bold, completed: style.dim };
  return todos.map((todo) => paints[todo.status](cutToWidth(`  ${oneLine(todoLine(todo))}`, columns)));
}

const taskWords: Record<TaskOutcome, string> = {
  completed: 'completed',
  failed: 'failed:',
  cancelled: 'cancelled:',
  out_of_time: 'out of time:',
  blocked: 'asks:',
};

function taskEndLines({ ended }: TaskEndItem, { style, columns }: Look): string[] {
  const { task, outcome, message, steps, costUsd } = ended;
  const isDone = outcome === 'completed';
  const tail = `${steps} ${steps === 1 ? 'step' : 'steps'}, ${costText(costUsd)}`;
  const why = isDone ? '' : ` ${oneLine(message)}`;
  const room = Math.max(10, columns - tail.length - task.length - 6);
  const words = cutToWidth(`${taskWords[outcome]}${why}`, room);
  return [`${isDone ? style.green('◂') : style.yellow('◂')} ${style.bold(oneLine(task))} ${words}  ${style.dim(tail)}`];
}

const outcomeWords: Record<TurnOutcome, string> = {
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  max_steps: 'stopped at the limit of steps',
  max_duration: 'stopped at the limit of time',
  budget: 'stopped at the budget',
  truncated: 'cut at the output limit',
  blocked: 'blocked',
};

function endLines({ ended, durationMs, isTold }: EndItem, { style, columns }: Look): string[] {
  const { outcome, message, steps, costUsd } = ended;
  const time = durationMs === null ? '' : ` in ${durationText(durationMs)}`;
  const facts = [
    `${outcomeWords[outcome]}${time}`,
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    `cost ${costText(costUsd)}`,
  ];
  const line = cutToWidth(facts.join(' · '), columns - 2);
  if (outcome === 'completed') return [style.dim(`✓ ${line}`)];
  const how = outcome === 'cancelled' || outcome === 'blocked' ? [] : [style.dim('Say “go on”, or /continue.')];
  const why = isTold ? [] : wrapText(visible(message), columns).map(style.yellow);
  return [style.yellow(`■ ${line}`), ...why, ...how];
}
