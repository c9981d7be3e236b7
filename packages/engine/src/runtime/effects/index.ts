/** What is owed to the world, and who performs it: one file each. */
import type { Runners } from './effect.ts';
import { runJudge } from './judge.ts';
import { runLetter } from './letter.ts';
import { runModel } from './model.ts';
import { runTask } from './task.ts';
import { runTimer } from './timer.ts';
import { runTool } from './tool.ts';

export const runners: Runners = {
  model: runModel,
  judge: runJudge,
  tool: runTool,
  timer: runTimer,
  task: runTask,
  letter: runLetter,
};
