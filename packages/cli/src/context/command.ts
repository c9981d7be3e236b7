/** `pawl context`: what the model sees of a session, so that nobody has to guess. */
import type { ContextReport } from '@pawl/engine';
import { buildRequest, contextOf, createRegistry, defaultPrompt, toldTo } from '@pawl/engine';
import { stateOf } from '@pawl/engine/readers';
import { builtinTools } from '@pawl/tools';
import { memoryTools } from '@pawl/tools/memory';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { openMemory } from '../memory/open.ts';
import { openOutput } from '../output/stdout.ts';
import { findSession } from '../sessions/find.ts';
import { withLog } from '../sessions/open.ts';

export async function showContext(named: string, { json }: { json?: true }): Promise<ExitCode> {
  const events = await withLog(async (log) => log.read((await findSession(log, named)).session));
  const state = stateOf(events);
  const { model: id, modelInfo: info } = state.settings;
  const tools = createRegistry([...builtinTools(), ...memoryTools(openMemory())]);
  const report = contextOf(state, buildRequest(state, { id, info }, toldTo(state, { tools, system: defaultPrompt })));
  const output = openOutput(process.stdout);
  await output.write(json === true ? `${JSON.stringify(report, null, 2)}\n` : textOf(report));
  await output.flush();
  return exitCodes.completed;
}

function textOf(report: ContextReport): string {
  const { regions, compactions, thresholdTokens } = report;
  const width = Math.max(...regions.map(({ tokens }) => String(tokens).length), 6);
  const rows = regions.map(
    ({ name, tokens, percent, count }) =>
      `${name.padEnd(14)}${String(tokens).padStart(width)}  ${percent.toFixed(1).padStart(5)} %  ${count}`,
  );
  const begins = thresholdTokens === null ? 'compaction is off' : `compaction begins at ${thresholdTokens}`;
  const was = compactions.applied === 0 ? 'never compacted' : `compacted ${compactions.applied} times`;
  const notes = [
    was,
    ...(compactions.isUnderWay ? ['one is under way'] : []),
    ...(compactions.suspendedSteps > 0 ? [`none is tried for ${compactions.suspendedSteps} steps`] : []),
    ...(report.trimmed > 0 ? [`${report.trimmed} results taken out`] : []),
    `${compactions.corrections} corrections kept`,
  ];
  return [
    `${report.tokens} of ${report.limitTokens} tokens (${report.percent} %), ${report.usableTokens} can be used; ${begins}`,
    `step ${report.step} of ${report.maxSteps}, ${report.messages} messages; ${notes.join(', ')}`,
    '',
    `${'region'.padEnd(14)}${'tokens'.padStart(width)}  window  entries`,
    ...rows,
    `${'estimate'.padEnd(14)}${String(report.estimatedTokens).padStart(width)}`,
    '',
  ].join('\n');
}
