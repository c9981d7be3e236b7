import type { Tool, ToolScope } from '@pawl/engine';
import { isPawlError } from '@pawl/protocol';
import type { ToolOptions } from '../options.ts';
import { defineTool, objectSchema } from '../tool.ts';
import { applyChanges, planChanges } from './changes.ts';
import { reconcileChanges } from './evidence.ts';
import { changesOf, placesOf } from './patch/apply.ts';
import { parsePatch } from './patch/parse.ts';

type PatchInput = { patch: string };

/** Changes, creates, deletes and moves several files, all or none. */
export function patchTool(options: ToolOptions): Tool {
  return defineTool<PatchInput>({
    name: 'patch',
    description: `Changes, adds, deletes and moves files, all or none. A unified diff, or:
*** Begin Patch
*** Update File: src/a.ts
*** Move to: src/b.ts (only to move)
@@ class or function around it, where context alone fits twice
 context line
-old line
+new line
*** Add File: c.txt
+line
*** Delete File: d.txt
*** End Patch`,
    input: objectSchema({ patch: { type: 'string' } }, ['patch']),
    effect: 'write',
    subjectKind: 'path',
    paths: async ({ patch }, { cwd }) => (await placesIn(patch, cwd)).map(({ path }) => path),
    plan: async (input, scope) => planChanges(await changesIn(input, scope, options)),
    run: async (input, context) => applyChanges(await changesIn(input, context, options), context),
    reconcile: (_, evidence, scope) => reconcileChanges(evidence, scope, options.maxFileBytes),
  });
}

const changesIn = ({ patch }: PatchInput, scope: ToolScope, options: ToolOptions) =>
  changesOf(parsePatch(patch), scope, options);

/** None of a patch that cannot be read: it changes nothing, and its plan says why. */
async function placesIn(patch: string, cwd: string) {
  try {
    return await placesOf(parsePatch(patch), cwd);
  } catch (error) {
    if (isPawlError(error, 'bad_patch')) return [];
    throw error;
  }
}
