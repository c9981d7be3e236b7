import type { Tool, ToolScope } from '@pawl/engine';
import { isPawlError, PawlError } from '@pawl/protocol';
import type { ToolOptions } from '../options.ts';
import { resolvePlace } from '../paths.ts';
import { defineTool, objectSchema } from '../tool.ts';
import { applyChanges, planChanges } from './changes.ts';
import { changeText, replaceIn, replacementProperties } from './edit.ts';
import { reconcileChanges } from './evidence.ts';
import type { Replacement } from './text/replace.ts';

type MultiEditInput = { path: string; edits: Replacement[] };

const maxEdits = 200;

/** Several replacements in one file, one after another, all or none. */
export function multiEditTool(options: ToolOptions): Tool {
  return defineTool<MultiEditInput>({
    name: 'multi_edit',
    description:
      'Makes several edits in one file, in order, each on what the one before left; all or none. Rules as in edit.',
    input: objectSchema(
      {
        path: { type: 'string' },
        edits: {
          type: 'array',
          minItems: 1,
          maxItems: maxEdits,
          items: objectSchema(replacementProperties, ['old', 'new']),
        },
      },
      ['path', 'edits'],
    ),
    effect: 'write',
    subjectKind: 'path',
    subject: ({ path }) => path,
    paths: async ({ path }, { cwd }) => [(await resolvePlace(path, cwd)).path],
    plan: async (input, scope) => planChanges([await changeOf(input, scope, options)]),
    run: async (input, context) => applyChanges([await changeOf(input, context, options)], context),
    reconcile: (_, evidence, scope) => reconcileChanges(evidence, scope, options.maxFileBytes),
  });
}

const changeOf = ({ path, edits }: MultiEditInput, scope: ToolScope, options: ToolOptions) =>
  changeText(path, scope, options, (text, shown) =>
    edits.reduce((before, edit, index) => {
      try {
        return replaceIn(path, before, edit, shown);
      } catch (error) {
        if (!isPawlError(error)) throw error;
        const sentence = `Edit ${index + 1} of ${edits.length}: ${error.message} Nothing was changed.`;
        throw new PawlError(error.code, sentence, { cause: error });
      }
    }, text),
  );
