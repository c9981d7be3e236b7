/** Tools to delegate work, to see to what was delegated, and to end what one was given. */
import type { Tool } from '@pawl/engine';
import { askOwnerTool, completeTool } from './end.ts';
import { taskCancelTool, taskSendTool, tasksTool } from './manage.ts';
import { taskTool } from './task.ts';

/** All of them. They touch nothing but sessions, whose own calls are judged each by itself. */
export function taskTools(): Tool[] {
  return [askOwnerTool(), completeTool(), taskTool(), tasksTool(), taskCancelTool(), taskSendTool()];
}
