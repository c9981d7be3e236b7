/** Measures Pawl, its peers and the raw limit against a local server; `--help` says how. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Bench, Finding } from './bench.ts';
import { cacheShare } from './experiments/cache.ts';
import { longRun } from './experiments/long-run.ts';
import { makespan } from './experiments/makespan.ts';
import { manyRuns } from './experiments/many-runs.ts';
import { sideBySide } from './experiments/programs.ts';
import { resume } from './experiments/resume.ts';
import { searchTools } from './experiments/search.ts';
import { firstRequest } from './experiments/start.ts';
import { checkStreaming } from './experiments/streaming.ts';
import { startServer } from './local-server.ts';
import { type ExperimentName, helpText, type Options, readOptions } from './options.ts';
import { renderTable } from './table.ts';

const experiments: { [name in ExperimentName]: (bench: Bench) => Promise<Finding | null> } = {
  a: longRun,
  b: manyRuns,
  c: resume,
  d: firstRequest,
  e: cacheShare,
  f: makespan,
  g: searchTools,
  h: sideBySide,
};

const run = async (options: Options): Promise<void> => {
  const server = await startServer();
  let keys = 0;
  const bench: Bench = {
    options,
    server,
    progress: (line) => process.stderr.write(`${line}\n`),
    nextKey: () => `run-${++keys}`,
  };
  try {
    await checkStreaming(bench);
    const findings: Finding[] = [];
    for (const name of options.only) {
      const finding = await experiments[name](bench);
      if (!finding) continue;
      findings.push(finding);
      process.stdout.write(`\n${renderTable(finding.table, true)}\n`);
    }
    await mkdir(dirname(options.out), { recursive: true });
    await writeFile(options.out, findings.map(({ table }) => renderTable(table, false)).join('\n'));
    await writeFile(`${options.out.replace(/\.md$/, '')}.json`, JSON.stringify(findings, null, 2));
    bench.progress(`Tables with ratios: ${options.out}`);
  } finally {
    await server.stop();
  }
};

const main = async (): Promise<number> => {
  let options: Options | null;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${helpText()}`);
    return 2;
  }
  if (!options) {
    process.stdout.write(helpText());
    return 0;
  }
  await run(options);
  return 0;
};

process.exitCode = await main();
