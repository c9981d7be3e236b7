/** Tools for the work itself: the agent's list, questions to the person, stages, the end, notes, and other tools. */
import type { Tool } from '@pawl/engine';
import { askTool } from './ask.ts';
import { doneTool, escalateTool } from './end.ts';
import { historyTool } from './history.ts';
import { listToolsTool } from './list-tools.ts';
import { notesTool } from './notes.ts';
import { notifyTool } from './notify.ts';
import { planTool } from './plan.ts';
import { stageTool } from './stage.ts';
import { todoTool } from './todo.ts';

/** All of them. None touches anything but the session itself, so none needs leave, in no mode. */
export function workTools(): Tool[] {
  return [
    askTool(),
    doneTool(),
    escalateTool(),
    historyTool(),
    listToolsTool(),
    notesTool(),
    notifyTool(),
    planTool(),
    stageTool(),
    todoTool(),
  ];
}
