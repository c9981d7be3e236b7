import type { Transcript, TranscriptCall, TranscriptEntry } from './transcript.ts';
import { oneLine, visible } from './visible.ts';
import { answerText, costText, durationText, modelText, originLines, statusText, timeText } from './words.ts';

/** A session as one page that needs nothing else: no script, no font, no picture. */
export function exportHtml(transcript: Transcript): string {
  const { title, session, cwd, model, agent, createdAt, forkedFrom, costUsd, entries } = transcript;
  const heading = title === '' ? 'An empty session' : title;
  const facts = [
    ['Session', session],
    ...(forkedFrom === null ? [] : [['Forked from', forkedFrom]]),
    ['Folder', cwd],
    ['Model', modelText(model)],
    ['Agent', agent],
    ...originLines(transcript).map(([name, value]) => [escapeHtml(name), value]),
    ['Begun', timeText(createdAt)],
    ['Cost', costText(costUsd)],
  ];
  const list = facts.map(([name = '', value = '']) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(oneLine(heading))}</title>
<style>${style}</style>
</head>
<body>
<main>
<header><h1>${escapeHtml(oneLine(heading))}</h1><dl>${list}</dl></header>
${entries.map(entryHtml).join('\n')}
</main>
</body>
</html>
`;
}

function entryHtml(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case 'user': {
      const who = { input: 'You', context: 'Context', engine: 'Pawl' }[entry.source];
      return `<section class="user" id="${entry.id}"><h2>${who} <small>${entry.id}</small></h2><div class="text">${escapeHtml(entry.text)}</div></section>`;
    }
    case 'assistant': {
      const thinking =
        entry.thinking === ''
          ? ''
          : `<details><summary>Thinking</summary><div class="text">${escapeHtml(entry.thinking)}</div></details>`;
      const text = entry.text === '' ? '' : `<div class="text">${escapeHtml(entry.text)}</div>`;
      const cut = entry.isPartial ? '<p class="note">This answer was cut off.</p>' : '';
      const calls = entry.calls.map(callHtml).join('');
      return `<section class="agent" id="${entry.id}"><h2>Agent <small>${entry.id} · ${escapeHtml(modelText(entry.model))}</small></h2>${thinking}${text}${cut}${calls}</section>`;
    }
    case 'turn':
      return `<p class="turn"><strong>Turn ${entry.turn}: ${entry.outcome}</strong> after ${entry.steps} ${entry.steps === 1 ? 'step' : 'steps'}. ${escapeHtml(oneLine(entry.message))}</p>`;
    case 'note':
      return `<p class="note">${escapeHtml(oneLine(entry.text))}</p>`;
    default:
      return entry satisfies never;
  }
}

function callHtml(call: TranscriptCall): string {
  const { tool, argument, status, answer, preview, content, input, durationMs } = call;
  const asked = answer === null ? '' : ` · ${escapeHtml(answerText(answer))}`;
  const time = durationMs === null ? '' : ` · ${durationText(durationMs)}`;
  const diff =
    preview === null ? '' : `<pre>${preview.kind === 'diff' ? diffHtml(preview.text) : escapeHtml(preview.text)}</pre>`;
  const result = content === null || content === '' ? '' : `<pre>${escapeHtml(content)}</pre>`;
  return `<details class="call ${status}"><summary><b>${escapeHtml(tool)}</b> <code>${escapeHtml(oneLine(argument))}</code> <small>${statusText(status)}${time}${asked}</small></summary><pre>${escapeHtml(JSON.stringify(input, null, 2))}</pre>${diff}${result}</details>`;
}

function diffHtml(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const safe = escapeHtml(line);
      if (line.startsWith('+') && !line.startsWith('+++')) return `<ins>${safe}</ins>`;
      return line.startsWith('-') && !line.startsWith('---') ? `<del>${safe}</del>` : safe;
    })
    .join('\n');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Nothing in it is markup, and nothing in it is hidden. */
function escapeHtml(text: string): string {
  return visible(text.replaceAll('\r\n', '\n')).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0}main{max-width:52rem;margin:auto;padding:1.5rem}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:0 0 .4rem}small{font-weight:normal;opacity:.65}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0}dt{opacity:.65}dd{margin:0;overflow-wrap:anywhere}
section{margin:1.2rem 0;padding:.8rem 1rem;border:1px solid #8884;border-radius:.5rem}.user{background:#8881}
.text{white-space:pre-wrap;overflow-wrap:anywhere}pre{overflow-x:auto;padding:.6rem;background:#8881;border-radius:.3rem;font-size:.85rem}
details{margin:.4rem 0}summary{cursor:pointer;overflow-wrap:anywhere}.error>summary,.denied>summary,.unknown>summary{color:#c33}
ins{color:#282;text-decoration:none}del{color:#c33;text-decoration:none}.note,.turn{opacity:.75}`;
