import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'simulation/**/*.test.ts', 'examples/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['scripts/property-seed.ts'],
    // Far beyond what anything takes: a machine may be busy with other things.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    // Most of the time is spent waiting: for shells, terminals, processes that end.
    maxWorkers: '100%',
  },
});
