/** A summary made without a model: what was called and changed, and what was said last. */
import { todoLine } from '@pawl/protocol';
import { shortenMiddle } from '../../core/index.ts';
import { mainArgument } from '../../readers/argument.ts';
import type { Heading } from './headings.ts';
import { headings } from './headings.ts';
import type { Job } from './job.ts';

const maxCalls = 40;
const maxAnswers = 5;
const longestAnswer = 600;
const longestEarlier = 4000;
const maxFiles = 30;

export function digestOf(job: Job): string {
  const open = job.todos.filter(({ status }) => status !== 'completed').map((todo) => `- ${todoLine(todo)}`);
  const lines: Record<Heading, readonly string[]> = {
    Goal: [shortenMiddle(job.task ?? '', 500)],
    'Corrections and constraints': ['They stand word for word in this message.'],
    'Done so far': [...earlierOf(job), ...callsOf(job), ...answersOf(job)],
    'State of the files': job.edited.slice(-maxFiles).map((path) => `- changed: ${path}`),
    Decisions: [],
    'Open questions': [],
    'Next steps': open,
    'Facts worth keeping': [],
  };
  return headings.map((heading) => `### ${heading}\n${bodyOf(lines[heading])}`).join('\n\n');
}

function bodyOf(lines: readonly string[]): string {
  const body = lines.filter((line) => line !== '').join('\n');
  return body === '' ? 'Not known.' : body;
}

const earlierOf = ({ earlier }: Job): string[] =>
  earlier === null ? [] : [`Before that:\n${shortenMiddle(earlier.summary, longestEarlier)}`];

function callsOf({ messages }: Job): string[] {
  const failed = new Set(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.results.filter(({ status }) => status !== 'ok').map(({ call }) => call) : [],
    ),
  );
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool_call') : [],
  );
  const left = Math.max(0, calls.length - maxCalls);
  const shown = calls.slice(left).map(({ id, tool, input }) => {
    const argument = shortenMiddle(mainArgument(input), 120);
    return `- ${tool} ${argument}${failed.has(id) ? ' (did not succeed)' : ''}`;
  });
  return left === 0 ? shown : [`(${left} earlier calls are not listed)`, ...shown];
}

function answersOf({ messages }: Job): string[] {
  const said = messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter((part) => part.type === 'text') : [],
  );
  return said.slice(-maxAnswers).map(({ text }) => `The agent said: ${shortenMiddle(text.trim(), longestAnswer)}`);
}
