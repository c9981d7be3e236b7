import type { Tool, ToolScope } from '@pawl/engine';
import type { ToolOptions } from '../options.ts';
import { resolvePlace } from '../paths.ts';
import { defineTool, objectSchema } from '../tool.ts';
import type { Change } from './change.ts';
import { applyChanges, planChanges } from './changes.ts';
import { decodeText, encodeText, lineEndOf, withLineEnd } from './encodings.ts';
import { reconcileChanges } from './evidence.ts';
import { readFileBytes, refuseSize } from './regular-file.ts';
import { refuseStale } from './staleness.ts';

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
    plan: async (input, scope) => planChanges([await changeOf(input, scope, options)]),
    run: async (input, context) => applyChanges([await changeOf(input, context, options)], context),
    reconcile: (_, evidence, scope) => reconcileChanges(evidence, scope, options.maxFileBytes),
  });
}

async function changeOf({ path, content }: WriteInput, scope: ToolScope, options: ToolOptions): Promise<Change> {
  const place = await resolvePlace(path, scope.cwd);
  const before = await readFileBytes(place, options.maxFileBytes);
  refuseStale(place, before, scope, { mustHaveRead: false });
  const old = before === null ? null : decodeText(before.bytes);
  // A model sees plain line feeds and no byte order mark; a file that had others keeps them.
  const end = old === null ? '\n' : lineEndOf(old.text);
  const text = end === '\n' || content.includes('\r') ? content : withLineEnd(content, end);
  const after = encodeText({ text, encoding: old?.encoding ?? 'utf8' });
  refuseSize(place.shown, after.length, options.maxFileBytes);
  const shownBefore = before === null ? null : (old?.text ?? `(${before.bytes.length} bytes that are not text)\n`);
  return { place, before, after, text: { before: shownBefore, after: text } };
}
