/** `pawl policy list`: every rule that holds here, with its layer and where it is written. */

import { visible } from '@pawl/engine/readers/visible';
import { parseRule } from '@pawl/policy';
import { createStyle, wantsColour } from '@pawl/terminal/text/style';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printWarning } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { tableLines } from '../output/table.ts';
import { lists, type PolicyFlags, readPolicy } from './rules.ts';

/** @throws `bad_config`, `no_session`, `usage`. */
export async function listRules(flags: PolicyFlags): Promise<ExitCode> {
  const { layers, places, mode, warnings, folder } = await readPolicy(flags);
  const rules = layers.flatMap(({ name, rules }) =>
    lists.flatMap((list) =>
      rules[list].map((rule) => ({ list, rule: parseRule(rule).text, layer: name, from: places.get(name) ?? '' })),
    ),
  );
  const output = openOutput(process.stdout);
  if (flags.json === true) await output.write(`${JSON.stringify({ folder, mode, rules }, null, 2)}\n`);
  else {
    const style = createStyle(wantsColour(process.stdout));
    const paint = { deny: style.red, ask: style.yellow, allow: style.green };
    const rows = rules.map(({ list, rule, layer, from }) => [
      { text: list, paint: paint[list] },
      visible(rule),
      layer,
      { text: visible(from), paint: style.dim },
    ]);
    await output.write(
      `mode ${mode}\n${tableLines(rows)
        .map((line) => `${line}\n`)
        .join('')}`,
    );
  }
  await output.flush();
  for (const warning of warnings) printWarning(warning);
  return exitCodes.completed;
}
