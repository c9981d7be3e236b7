import type { Transcript, TranscriptCall, TranscriptEntry } from './transcript.ts';
import { oneLine, visible } from './visible.ts';
import { answerText, costText, originLines, statusText, timeText } from './words.ts';

/** A session as one Markdown document. */
export function exportMarkdown(transcript: Transcript): string {
  const { title, session, cwd, model, agent, createdAt, forkedFrom, costUsd, entries } = transcript;
  const facts = [
    `- Session: \`${session}\``,
    ...(forkedFrom === null ? [] : [`- Forked from: \`${forkedFrom}\``]),
    `- Folder: ${code(cwd)}`,
    `- Model: ${code(model)}`,
    `- Agent: ${code(agent)}`,
    ...originLines(transcript).map(([name, value]) => `- ${name}: ${code(value)}`),
    `- Begun: ${timeText(createdAt)}`,
    `- Cost: ${costText(costUsd)}`,
  ];
  const head = `# ${escapeMarkdown(title === '' ? 'An empty session' : title)}\n\n${facts.join('\n')}\n`;
  return `${[head, ...entries.map(entryMarkdown)].join('\n').trimEnd()}\n`;
}

function entryMarkdown(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case 'user': {
      const who = { input: 'You', context: 'Context', engine: 'Pawl' }[entry.source];
      return `## ${who} (${entry.id})\n\n${quote(entry.text)}\n`;
    }
    case 'assistant': {
      const parts = [
        `## Agent (${entry.id})`,
        ...(entry.thinking === '' ? [] : [details('Thinking', entry.thinking)]),
        ...(entry.text === '' ? [] : [visible(entry.text)]),
        ...(entry.isPartial ? ['*This answer was cut off.*'] : []),
        ...entry.calls.map(callMarkdown),
      ];
      return `${parts.join('\n\n')}\n`;
    }
    case 'turn':
      return `---\n\n**Turn ${entry.turn}: ${entry.outcome}** after ${entry.steps} ${entry.steps === 1 ? 'step' : 'steps'}. ${escapeMarkdown(entry.message)}\n`;
    case 'note':
      return `*${escapeMarkdown(oneLine(entry.text))}*\n`;
    default:
      return entry satisfies never;
  }
}

function callMarkdown(call: TranscriptCall): string {
  const { tool, argument, status, answer, preview, content, input } = call;
  const asked = answer === null ? '' : `, ${answerText(answer)}`;
  const lines = [
    `### \`${tool}\` ${code(oneLine(argument))}: ${statusText(status)}${asked}`,
    fence('json', JSON.stringify(input, null, 2)),
  ];
  if (preview !== null) lines.push(fence(preview.kind === 'diff' ? 'diff' : 'text', preview.text));
  if (content !== null && content !== '') lines.push(fence('text', content));
  return lines.join('\n\n');
}

/** A fence longer than any run of backticks in the text, so that nothing in it can end it. */
function fence(language: string, text: string): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}${language}\n${visible(text).replace(/\n$/, '')}\n${marks}`;
}

function code(text: string): string {
  const marks = '`'.repeat(longestRun(text) + 1);
  const space = text.startsWith('`') || text.endsWith('`') || text === '' ? ' ' : '';
  return `${marks}${space}${oneLine(text)}${space}${marks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

function quote(text: string): string {
  return visible(text).replaceAll(/^/gm, '> ');
}

function details(title: string, text: string): string {
  return `<details><summary>${title}</summary>\n\n${quote(text)}\n\n</details>`;
}

function escapeMarkdown(text: string): string {
  return oneLine(text).replaceAll(/[\\`*_[\]<>#|]/g, '\\$&');
}
