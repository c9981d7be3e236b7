/** The runner of each kind of effect, one file each. */
import { runCompact } from './compact.ts';
import { runDeliver } from './deliver.ts';
import type { Runners } from './effect.ts';
import { runForward } from './forward.ts';
import { runGather } from './gather.ts';
import { runJudge } from './judge.ts';
import { runModel } from './model.ts';
import { runTask } from './task.ts';
import { runTimer } from './timer.ts';
import { runTool } from './tool.ts';
import { runVerify } from './verify.ts';

export const runners: Runners = {
  model: runModel,
  gather: runGather,
  judge: runJudge,
  tool: runTool,
  verify: runVerify,
  deliver: runDeliver,
  compact: runCompact,
  timer: runTimer,
  task: runTask,
  forward: runForward,
};
