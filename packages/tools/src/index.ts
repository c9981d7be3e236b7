/** The tools that Pawl brings along: files, search, shell. */
import type { Tool } from '@pawl/engine';
import { bashTool } from './bash.ts';
import { deleteTool } from './delete.ts';
import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { listTool } from './list.ts';
import { type ToolOptions, withDefaults } from './options.ts';
import { readTool } from './read.ts';
import { writeTool } from './write.ts';

export { isSecretName } from './environment.ts';
export { escapeInvisible, stripTerminal } from './escape.ts';
export type { ToolOptions } from './options.ts';

/** All of them, in the order of their names. */
export function builtinTools(options: Partial<ToolOptions> = {}): Tool[] {
  const all = withDefaults(options);
  return [
    bashTool(all),
    deleteTool(),
    editTool(all),
    globTool(all),
    grepTool(all),
    listTool(),
    readTool(all),
    writeTool(all),
  ];
}
