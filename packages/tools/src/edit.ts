import type { Tool, ToolScope } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import { applyChange, type Change, planChange, reconcileChange } from './changes.ts';
import { decodeText, encodeText, isBinary } from './encodings.ts';
import { readFileBytes } from './files.ts';
import type { ToolOptions } from './options.ts';
import { resolvePlace } from './paths.ts';
import { replaceText } from './replace.ts';
import { refuseStale } from './staleness.ts';
import { defineTool, objectSchema } from './tool.ts';

type EditInput = { path: string; old: string; new: string; all?: boolean };

/** Replaces one text in a file that the session has read. */
export function editTool(options: ToolOptions): Tool {
  return defineTool<EditInput>({
    name: 'edit',
    description:
      'Replaces a text in a file that was read before. old must be exactly what the file has, indentation included and line numbers not, and occur once unless all is true.',
    input: objectSchema(
      {
        path: { type: 'string' },
        old: { type: 'string' },
        new: { type: 'string' },
        all: { type: 'boolean', description: 'Replace every occurrence' },
      },
      ['path', 'old', 'new'],
    ),
    effect: 'write',
    subjectKind: 'path',
    subject: ({ path }) => path,
    paths: async ({ path }, { cwd }) => [(await resolvePlace(path, cwd)).path],
    plan: async (input, scope) => planChange(await changeOf(input, scope, options)),
    run: async (input, context) => applyChange(await changeOf(input, context, options), context, options.maxFileBytes),
    reconcile: ({ path }, evidence) => reconcileChange(evidence, path, options.maxFileBytes),
  });
}

async function changeOf(input: EditInput, scope: ToolScope, options: ToolOptions): Promise<Change> {
  const place = await resolvePlace(input.path, scope.cwd);
  const before = await readFileBytes(place, options.maxFileBytes);
  if (before === null) throw new PawlError('not_found', `${place.shown} does not exist. Create it with write.`);
  const decoded = isBinary(before.bytes) ? null : decodeText(before.bytes);
  if (decoded === null || !encodeText(decoded).equals(before.bytes)) {
    throw new PawlError(
      'not_text',
      `${place.shown} is binary or in an unknown encoding; editing it as text would damage it. Nothing was changed.`,
    );
  }
  refuseStale(place, before, scope, { mustHaveRead: true });
  const text = replaceText(decoded.text, input, place.shown);
  return { place, before, after: encodeText({ ...decoded, text }), text: { before: decoded.text, after: text } };
}
