/** The simulator over many seeds: no invariant is broken in any of their worlds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SoakPart } from './part.ts';

export const seeds: SoakPart = {
  name: 'seeds',
  what: 'worlds of the simulator, from the seed that is given',
  times: 100_000,
  async run({ times, seed, note }) {
    const args = ['simulation/main.ts', '--from', String(seed), '--seeds', String(times)];
    const simulator = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const violations: string[] = [];
    simulator.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) {
        if (line.includes(' violates ')) violations.push(line.trim());
        else if (line.includes(' seeds, ')) note(line.trim());
      }
    });
    const [code] = await once(simulator, 'exit');
    return code === 0 || violations.length > 0 ? violations : [`The simulator ended with ${code}.`];
  },
};
