/** `pawl policy remove`: takes a rule out of the file or the session where it stands. */
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { visible } from '@pawl/engine/readers/visible';
import { parseRule } from '@pawl/policy';
import { PawlError } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { openOutput } from '../output/stdout.ts';
import { deliver } from '../reach/deliver.ts';
import { withLog } from '../sessions/open.ts';
import { isSameRule, type List, lists, type PolicyFlags, readPolicy } from './rules.ts';

type Removed = { list: List; rule: string; layer: string; from: string };

/** Every rule that says this, in whatever list. With a session only its own ones. @throws `no_rule`, `bad_rule`. */
export async function removeRule(rule: string, flags: PolicyFlags): Promise<ExitCode> {
  parseRule(rule);
  const { layers, places, session } = await readPolicy(flags);
  const removed: Removed[] = [];
  for (const { name, rules } of layers) {
    if ((name === 'session') !== (session !== null)) continue;
    const from = places.get(name) ?? '';
    const found = lists.flatMap((list) =>
      rules[list].filter((each) => isSameRule(each, rule)).map((each) => ({ list, rule: each, layer: name, from })),
    );
    if (found.length === 0) continue;
    if (session !== null) await removeFromSession(session.session, found);
    else await removeFromFile(from, rule);
    removed.push(...found);
  }
  if (removed.length === 0) {
    throw new PawlError('no_rule', `There is no rule ${JSON.stringify(rule)} here. List them with: pawl policy list`);
  }
  const output = openOutput(process.stdout);
  await output.write(
    flags.json === true
      ? `${JSON.stringify({ removed }, null, 2)}\n`
      : removed
          .map(({ list, rule: text, from }) => `removed ${list} ${visible(text)} from ${visible(from)}\n`)
          .join(''),
  );
  await output.flush();
  return exitCodes.completed;
}

/** What else stands in the file stays as it is, comments too. */
async function removeFromFile(path: string, rule: string): Promise<void> {
  const { isSeq, parseDocument } = await import('yaml');
  const document = parseDocument(readFileSync(path, 'utf8'));
  for (const list of lists) {
    const rules = document.getIn(['rules', list]);
    if (!isSeq(rules)) continue;
    for (let index = rules.items.length - 1; index >= 0; index--) {
      const text = document.getIn(['rules', list, index]);
      if (typeof text === 'string' && isSameRule(text, rule)) document.deleteIn(['rules', list, index]);
    }
  }
  const fresh = `${path}.${process.pid}.new`;
  writeFileSync(fresh, document.toString({ lineWidth: 0, flowCollectionPadding: false }), {
    mode: existsSync(path) ? statSync(path).mode : 0o600,
  });
  renameSync(fresh, path);
}

/** Through the process that drives the session, else in its log; nothing that it owes is begun. */
async function removeFromSession(session: string, found: readonly Removed[]): Promise<void> {
  await withLog(async (log) => {
    for (const { list, rule } of found) await deliver(log, { session, type: 'rule.remove', data: { list, rule } });
  });
}
