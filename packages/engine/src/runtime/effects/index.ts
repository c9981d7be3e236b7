/** What is owed to the world, and who performs it: one file each. */

import { runCompact } from './compact.ts';
import type { Runners } from './effect.ts';
import { runJudge } from './judge.ts';
import { runModel } from './model.ts';
import { runTimer } from './timer.ts';
import { runTool } from './tool.ts';

export const runners: Runners = {
  model: runModel,
  judge: runJudge,
  tool: runTool,
  compact: runCompact,
  timer: runTimer,
};
