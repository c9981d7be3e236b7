import type { Tool, ToolScope } from '@pawl/engine';
import { applyChange, type Change, planChange, reconcileChange } from './changes.ts';
import { decodeText, encodeText, lineEndOf, withLineEnd } from './encodings.ts';
import { readFileBytes } from './files.ts';
import type { ToolOptions } from './options.ts';
import { resolvePlace } from './paths.ts';
import { refuseStale } from './staleness.ts';
import { defineTool, objectSchema } from './tool.ts';

type WriteInput = { path: string; content: string };

/** Creates a file or replaces all of it. */
export function writeTool(options: ToolOptions): Tool {
  return defineTool<WriteInput>({
    name: 'write',
    description: 'Creates a file, with its folders, or replaces its whole content. To change a part, use edit.',
    input: objectSchema({ path: { type: 'string' }, content: { type: 'string' } }, ['path', 'content']),
    effect: 'write',
    subjectKind: 'path',
    subject: ({ path }) => path,
    paths: async ({ path }, { cwd }) => [(await resolvePlace(path, cwd)).path],
    plan: async (input, scope) => planChange(await changeOf(input, scope, options)),
    run: async (input, context) => applyChange(await changeOf(input, context, options), context, options.maxFileBytes),
    reconcile: ({ path }, evidence) => reconcileChange(evidence, path, options.maxFileBytes),
  });
}

async function changeOf({ path, content }: WriteInput, scope: ToolScope, options: ToolOptions): Promise<Change> {
  const place = await resolvePlace(path, scope.cwd);
  const before = await readFileBytes(place, options.maxFileBytes);
  refuseStale(place, before, scope, { mustHaveRead: false });
  const old = before === null ? null : decodeText(before.bytes);
  // A model sees plain line feeds and no byte order mark; a file that had others keeps them.
  const keepsLineEnd = old !== null && lineEndOf(old.text) === '\r\n' && !content.includes('\r');
  const text = keepsLineEnd ? withLineEnd(content, '\r\n') : content;
  const after = encodeText({ text, encoding: old?.encoding ?? 'utf8' });
  const shownBefore = before === null ? null : (old?.text ?? `(${before.bytes.length} bytes that are not text)\n`);
  return { place, before, after, text: { before: shownBefore, after: text } };
}
