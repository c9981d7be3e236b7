/** `pawl doctor`: looks at everything that a run needs, and says what to do about what is not well. */
import { oneLine, visible } from '@pawl/engine/readers/visible';
import { messageOf } from '@pawl/protocol';
import { createStyle, type Style, wantsColour } from '@pawl/terminal/text/style';
import type { Config } from '../config/config.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { openOutput } from '../output/stdout.ts';
import { tableLines } from '../output/table.ts';
import { parseDuration, parseFolder } from '../values.ts';
import { askModels } from './ask.ts';
import { type Finding, failed, warning } from './finding.ts';
import { checkData, checkNode, checkSandbox, checkTools } from './place.ts';
import { checkProxy } from './proxy.ts';
import { checkConfig, checkModels, modelsToAsk } from './settings.ts';

export type DoctorFlags = { models?: true | string[]; timeout?: string; json?: true };

const usualTimeoutMs = 30_000;

/** Exit code 1 if anything failed; a warning is none. @throws `usage`. */
export async function doctor({ models, timeout, json }: DoctorFlags): Promise<ExitCode> {
  const timeoutMs = timeout === undefined ? usualTimeoutMs : parseDuration('--timeout', timeout);
  const folder = parseFolder('this folder', '.');
  const environment = process.env;
  const { config, findings } = await checkConfig(folder, environment);
  const place = [
    checkNode(),
    ...(await checkData(environment)),
    ...(await checkTools(folder)),
    ...(await checkSandbox(config)),
  ];
  const providers = config === null ? [] : await checkProviders(config, folder, environment);
  const all = [...findings, ...place, ...providers];
  if (models !== undefined && config !== null) {
    const names = models === true ? await modelsToAsk(config, folder, environment) : models;
    if (names.length === 0) all.push(warning('models', 'there is none to ask', 'Set a key: pawl models tells which.'));
    all.push(...(await askModels({ names, settings: config.models, timeoutMs, environment })));
  }
  const hasFailed = all.some(({ state }) => state === 'failed');
  const output = openOutput(process.stdout);
  if (json === true) await output.write(`${JSON.stringify({ isWell: !hasFailed, findings: all }, null, 2)}\n`);
  else await output.write(textOf(all, createStyle(wantsColour(process.stdout))));
  await output.flush();
  return hasFailed ? exitCodes.failed : exitCodes.completed;
}

/** What goes over the network: the way there, and what is providers of models and keys. */
async function checkProviders(config: Config, folder: string, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    return [...checkProxy(config.models, environment), ...(await checkModels(config, folder, environment))];
  } catch (error) {
    return [failed('models', messageOf(error))];
  }
}

function textOf(findings: readonly Finding[], style: Style): string {
  const marks = { ok: style.green('✓'), warning: style.yellow('!'), failed: style.red('✗') };
  const lines = tableLines(
    findings.map(({ about, detail }) => [{ text: oneLine(about), paint: style.bold }, visible(detail)]),
  );
  const text = findings.flatMap(({ state, advice }, index) => [
    `${marks[state]} ${lines[index]}`,
    ...(advice === null ? [] : [`    ${visible(advice)}`]),
  ]);
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const [bad, doubtful] = [count('failed'), count('warning')];
  const end =
    bad > 0
      ? style.red(`${bad} of ${findings.length} checks failed.`)
      : doubtful > 0
        ? style.yellow(`All works, with ${doubtful} ${doubtful === 1 ? 'thing' : 'things'} to look at.`)
        : style.green('All is well.');
  return `${[...text, '', end].join('\n')}\n`;
}
