/** Many contained commands in one repository at once, by four Pawls, some of which are killed: none fails by our doing. */
import { soakParallelShells } from '../../packages/tools/test/soak/parallel-shells.ts';
import type { SoakPart } from './part.ts';

const shells = 40;
const pawls = 4;
/** So many commands for each Pawl that is killed. */
const commandsPerKill = 800;

export const parallelShells: SoakPart = {
  name: 'shells',
  what: 'commands in one repository, forty at once, by four Pawls of which some are killed',
  times: 10_000,
  async run({ times, note }) {
    const kills = Math.floor(times / commandsPerKill);
    const report = await soakParallelShells({ commands: times, shells, pawls, kills });
    note(`a person's git beside them: ${report.git.runs} runs, ${report.git.failures.length} failed`);
    return [
      ...report.failures,
      ...report.changed.map((path) => `is different, new or gone: ${path}`),
      ...report.left.map((path) => `is left: ${path}`),
    ];
  },
};
