import { expect, it } from 'vitest';
import { stops } from '../scripts/soak/stops.ts';

it.runIf(process.platform === 'linux')(
  'E4: stopping a tree of tasks with shells leaves no fault, no process and no file, and the next input is answered',
  { timeout: 180_000 },
  async () => {
    expect(await stops.run({ times: 20, seed: 100_001, note: () => undefined })).toEqual([]);
  },
);
