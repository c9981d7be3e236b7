import type { Tool, ToolScope } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { ToolOptions } from '../options.ts';
import { resolvePlace } from '../paths.ts';
import { defineTool, objectSchema } from '../tool.ts';
import type { Change } from './change.ts';
import { applyChanges, planChanges } from './changes.ts';
import { encodeText } from './encodings.ts';
import { reconcileChanges } from './evidence.ts';
import { refuseStale } from './staleness.ts';
import { isNotebook, replaceInNotebook } from './text/notebook.ts';
import { type Replacement, replaceText } from './text/replace.ts';
import { readTextFile } from './text/text-file.ts';

type EditInput = { path: string } & Replacement;

/** The arguments of one replacement. */
export const replacementProperties: { [name: string]: JsonObject } = {
  old: { type: 'string' },
  new: { type: 'string' },
  all: { type: 'boolean', description: 'Replace every occurrence' },
};

/** Replaces one text in a file that the session has read. */
export function editTool(options: ToolOptions): Tool {
  return defineTool<EditInput>({
    name: 'edit',
    description:
      'Replaces a text in a file that was read before. old must be exactly what the file has, indentation included and line numbers not, and occur once unless all is true. In a notebook: in the source of its cells.',
    input: objectSchema({ path: { type: 'string' }, ...replacementProperties }, ['path', 'old', 'new']),
    effect: 'write',
    subjectKind: 'path',
    subject: ({ path }) => path,
    paths: async ({ path }, { cwd }) => [(await resolvePlace(path, cwd)).path],
    plan: async (input, scope) => planChanges([await changeOf(input, scope, options)]),
    run: async (input, context) => applyChanges([await changeOf(input, context, options)], context),
    reconcile: (_, evidence, scope) => reconcileChanges(evidence, scope, options.maxFileBytes),
  });
}

const changeOf = ({ path, ...replacement }: EditInput, scope: ToolScope, options: ToolOptions) =>
  changeText(path, scope, options, (text, shown) => replaceIn(path, text, replacement, shown));

/** One replacement, in a text or in the cells of a notebook. @throws as `replaceText`. */
export function replaceIn(path: string, text: string, replacement: Replacement, shown: string): string {
  return isNotebook(path) ? replaceInNotebook(text, replacement, shown) : replaceText(text, replacement, shown);
}

/** A change of the text of a file that was read before; encoding, mark and mode stay. */
export async function changeText(
  path: string,
  scope: ToolScope,
  options: ToolOptions,
  change: (text: string, shown: string) => string,
): Promise<Change> {
  const place = await resolvePlace(path, scope.cwd);
  const found = await readTextFile(place, options.maxFileBytes);
  if (found === null) throw new PawlError('not_found', `${place.shown} does not exist. Create it with write.`);
  const { file, decoded } = found;
  refuseStale(place, file, scope, { mustHaveRead: true });
  const text = change(decoded.text, place.shown);
  return { place, before: file, after: encodeText({ ...decoded, text }), text: { before: decoded.text, after: text } };
}
