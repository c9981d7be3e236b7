/** `pawl models`: what is configured and how it does; with words, the models of the catalogue that have them in their name. */

import { oneLine } from '@pawl/engine/readers/visible';
import { createStyle, type Style, wantsColour } from '@pawl/terminal/text/style';
import { readConfig } from '../config/config.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printWarning } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { tableLines } from '../output/table.ts';
import { parseFolder } from '../values.ts';
import { collectModels, type ModelsReport, type PoolRow, type ProviderRow } from './collect.ts';
import { keyStateText, leftText, modelCells, modelColumns } from './words.ts';

/** @throws `bad_config`. */
export async function showModels(
  words: readonly string[],
  { json, credit }: { json?: true; credit?: true },
): Promise<ExitCode> {
  const folder = parseFolder('this folder', '.');
  const filter = words.join(' ').trim();
  const config = await readConfig({ folder });
  for (const warning of config.warnings) printWarning(warning);
  const report = await collectModels({
    config,
    folder,
    filter: filter === '' ? null : filter,
    asksCredit: credit === true,
  });
  const output = openOutput(process.stdout);
  if (json === true) await output.write(`${JSON.stringify(report, null, 2)}\n`);
  else await output.write(`${textOf(report, filter, createStyle(wantsColour(process.stdout))).join('\n')}\n`);
  await output.flush();
  return filter !== '' && report.models.length === 0 ? exitCodes.usage : exitCodes.completed;
}

function textOf(report: ModelsReport, filter: string, style: Style): string[] {
  const now = Date.now();
  const { catalogue } = report;
  const about = style.dim(
    `Dollars for a million tokens (+: more for a long input). Catalogue of ${catalogue.date}; "models" in config.yaml overrides it.`,
  );
  const models = [
    modelColumns.map((name, column) => ({ text: name, paint: style.dim, isRight: column > 0 && name !== '' })),
    ...report.models.map((row) => modelCells(row, now, style)),
  ];
  if (filter !== '') {
    if (report.models.length === 0) return [`No model of the catalogue has "${oneLine(filter)}" in its name.`];
    return [...tableLines(models), '', about];
  }
  const usable = report.providers.filter(({ isConfigured }) => isConfigured);
  return [
    defaultLine(report, style),
    '',
    style.bold('Providers'),
    ...(usable.length === 0 ? ['  none has a key yet'] : usable.flatMap((row) => providerLines(row, now, style))),
    ...otherLines(report.providers, style),
    ...(report.pools.length === 0
      ? []
      : ['', style.bold('Pools'), ...report.pools.flatMap((pool) => poolLines(pool, style))]),
    ...variantLines(report, style),
    ...(report.models.length === 0 ? [] : ['', style.bold('Models'), ...tableLines(models, '  '), '', about]),
    '',
    style.dim('pawl models <words> searches the catalogue; pawl doctor --models asks each model for a word.'),
  ];
}

function defaultLine({ default: choice }: ModelsReport, style: Style): string {
  if (choice === null) return 'No model is the default. Set PAWL_MODEL, or model in config.yaml.';
  const { name, from, file, problem, changes } = choice;
  const words = {
    flag: '',
    session: '',
    agent: '',
    environment: 'by PAWL_MODEL',
    config: `by ${file ?? 'the configuration'}`,
    last: 'picked last in this project',
    key: 'because its key is set',
  };
  const line = `${style.bold('Default')}  ${oneLine(name)}  ${style.dim(words[from])}`;
  const notes = [...(problem === null ? [] : [problem]), ...changes];
  return [line, ...notes.map((note) => `  ${style.yellow(oneLine(note))}`)].join('\n');
}

function otherLines(rows: readonly ProviderRow[], style: Style): string[] {
  const others = rows.filter(({ isConfigured }) => !isConfigured);
  const keyed = others.filter(({ missing }) => missing.length > 0);
  const local = others.filter(({ missing }) => missing.length === 0);
  return [
    `  without a key: ${keyed.map(({ provider, missing }) => `${provider} (${missing.join(', ').replaceAll('set ', '')})`).join(', ')}`,
    `  on this machine, where they run: ${local.map(({ provider, baseUrl }) => `${provider} (${baseUrl})`).join(', ')}`,
  ].map(style.dim);
}

function providerLines(
  { provider, baseUrl, knownModels, missing, health, creditProblem }: ProviderRow,
  now: number,
  style: Style,
): string[] {
  const models = knownModels === 0 ? '' : `  ${knownModels} models, see: pawl models ${provider}/`;
  const state = health === null || health.state === 'closed' ? '' : `  ${style.yellow(health.why ?? health.state)}`;
  const keys = (health?.keys ?? []).map((key) => [
    { text: key.name ?? '', paint: style.dim },
    key.key ?? '',
    { text: keyStateText(key, now), paint: key.state === 'ready' ? style.green : style.yellow },
    { text: leftText(key), paint: style.dim },
  ]);
  return [
    `  ${style.bold(provider)}  ${baseUrl}${style.dim(models)}${state}`,
    ...tableLines(keys, '    '),
    ...(creditProblem === null ? [] : [`    ${style.yellow(oneLine(creditProblem))}`]),
    ...missing.map((what) => `    ${style.yellow(what)}`),
  ];
}

function poolLines({ pool, models }: PoolRow, style: Style): string[] {
  const rows = models.map(({ id, problem, changes }) => [
    oneLine(id),
    { text: oneLine([...(problem === null ? [] : [problem]), ...changes].join(' ')), paint: style.yellow },
  ]);
  return [`  ${style.bold(pool)}`, ...tableLines(rows, '    ')];
}

function variantLines({ variants }: ModelsReport, style: Style): string[] {
  const rows = Object.entries(variants).map(([name, parameters]) => [
    { text: `@${name}`, paint: style.bold },
    oneLine(JSON.stringify(parameters).replaceAll('"', '').slice(1, -1).replaceAll(',', ', ')),
  ]);
  return rows.length === 0 ? [] : ['', style.bold('Variants'), ...tableLines(rows, '  ')];
}
