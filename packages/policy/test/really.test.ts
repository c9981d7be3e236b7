import { expect, it } from 'vitest';
import { missingForReally, runReally } from './soak/really.ts';

const missing = missingForReally();
if (missing !== null) console.warn(missing);

it.skipIf(missing !== null)(
  'P2: of ten thousand generated command lines those that need no question write, run, reach and read nothing that they may not',
  { timeout: 600_000 },
  async () => {
    const {
      generated,
      harmless,
      violations,
      missing: families,
    } = await runReally({
      lines: Number(process.env.POLICY_LINES ?? 10_000),
      seed: Number(process.env.POLICY_SEED ?? 20261122),
    });
    if (families.length > 0) console.warn(`not tried, because not there: ${families.join(', ')}`);
    expect(violations).toEqual([]);
    // Else nothing was looked at.
    expect(harmless).toBeGreaterThan(generated / 20);
  },
);
