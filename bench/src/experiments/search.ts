/** (g) What `glob` and `grep` cost over the same search by ripgrep alone, over 100 000 files. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool, ToolContext } from '@pawl/engine';
import { builtinTools } from '@pawl/tools';
import { rgPath } from '@vscode/ripgrep';
import type { Bench, Finding } from '../bench.ts';
import { median, ratio } from '../statistics.ts';

const folders = { outer: 20, inner: 50 };
const filesEach = 100;
const endings = ['ts', 'js', 'json', 'md'];

/** A search by a tool of ours, and ripgrep's own words for it. */
type Search = { tool: 'glob' | 'grep'; pattern: string; own: readonly string[] };

const files = (glob: string): readonly string[] => ['--files', '--glob', glob];
const searches: readonly Search[] = [
  { tool: 'glob', pattern: '**/*', own: files('**/*') },
  { tool: 'glob', pattern: '**/*.ts', own: files('**/*.ts') },
  { tool: 'glob', pattern: '**/file7.js*', own: files('**/file7.js*') },
  { tool: 'glob', pattern: 'd1/**/*.ts', own: files('/d1/**/*.ts') },
  { tool: 'grep', pattern: 'needle', own: ['--line-number', 'needle'] },
];

export const searchTools = async (bench: Bench): Promise<Finding> => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-bench-'));
  const measurements: { search: string; toolMs: number; ripgrepMs: number }[] = [];
  try {
    await plant(folder);
    for (let round = 0; round <= bench.options.rounds; round++) {
      for (const { tool, pattern, own } of searches) {
        const ripgrepMs = await ripgrep(folder, own);
        const toolMs = await call(tool, pattern, folder);
        // The first round warms the disk's cache and the code up.
        if (round === 0) continue;
        const search = `${tool} ${pattern}`;
        measurements.push({ search, toolMs, ripgrepMs });
        const figures = `${toolMs.toFixed(0)} ms, ripgrep ${ripgrepMs.toFixed(0)} ms`;
        bench.progress(`g, round ${round} of ${bench.options.rounds}: ${search}: ${figures}`);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const names = [...new Set(measurements.map(({ search }) => search))];
  return {
    table: {
      title: `(g) Searching ${folders.outer * folders.inner * filesEach} files`,
      columns: [
        { name: 'wall ÷ ripgrep', unit: 'ratio' },
        { name: 'wall', unit: 'ms' },
      ],
      rows: names.map((name) => {
        const mine = measurements.filter(({ search }) => search === name);
        const times = mine.map(({ toolMs }) => toolMs);
        const others = mine.map(({ ripgrepMs }) => ripgrepMs);
        return { name, cells: [ratio(times, others), median(times)] };
      }),
    },
    measurements,
  };
};

async function plant(folder: string): Promise<void> {
  for (let outer = 0; outer < folders.outer; outer++) {
    for (let inner = 0; inner < folders.inner; inner++) {
      const place = join(folder, `d${outer}`, `e${inner}`);
      await mkdir(place, { recursive: true });
      const names = Array.from({ length: filesEach }, (_, index) => `file${index}.${endings[index % endings.length]}`);
      const text = (index: number) => (index === 7 && outer === inner ? 'a needle\n' : 'some hay\n'.repeat(20));
      await Promise.all(names.map((name, index) => writeFile(join(place, name), text(index))));
    }
  }
}

async function ripgrep(cwd: string, own: readonly string[]): Promise<number> {
  const began = performance.now();
  const words = [...own, '--no-config', '--hidden', '--glob=!.git', '.'];
  const child = spawn(rgPath, words, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  return performance.now() - began;
}

const tools = new Map(builtinTools().map((tool): [string, Tool] => [tool.name, tool]));

async function call(name: string, pattern: string, cwd: string): Promise<number> {
  const context: ToolContext = {
    session: 'bench',
    cwd,
    call: 'call',
    signal: new AbortController().signal,
    blobs: { get: () => Promise.resolve(null), put: () => Promise.reject(new Error('Nothing is kept here.')) },
    lastSeen: () => null,
    paths: [cwd],
    basis: null,
    progress: () => undefined,
  };
  const began = performance.now();
  const outcome = await tools.get(name)?.run({ pattern }, context);
  if (outcome === undefined || outcome.isError === true) throw new Error(`${name} ${pattern}: ${outcome?.content}`);
  return performance.now() - began;
}
