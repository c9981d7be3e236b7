/** A log means the same for ever: `evolve` applies no limit that could be another tomorrow. */
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DurableEvent } from '@pawl/protocol';
import { upgradeEvent } from '@pawl/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { State } from '../../src/core/index.ts';
import { evolve, initialState } from '../../src/core/index.ts';
import { begin, call, text } from './support.ts';

const source = join(import.meta.dirname, '../../src/core');
const corpus = join(import.meta.dirname, '../../../storage/test/corpus');

/** What stands in files of these names is no rule of today: what earlier versions decided, and what a state begins with. */
const exempt = /(?:^|\/)(?:old-logs|state)\.ts$/;

const number = /(?<=[\s:(])(?!0[,;\s)])\d[\d_]*(?:\.\d+)?(?=[,;\s)])/g;

/** Every numeric constant of a file but 0 is another, and every list of words by which text is judged matches nothing. */
function changed(code: string): string {
  return code
    .replace(/^(?:export )?const \w+(?:: \w+)? = [^;()]*;$/gm, (constant) =>
      constant.replace(number, (value) => String(Number(value.replaceAll('_', '')) * 3 + 1)),
    )
    .replace(/RegExp\[\] = \[[^;]*\];/g, 'RegExp[] = [/nothing that anybody says/];');
}

let folder = '';
let constants = 0;
let evolveChanged: typeof evolve;

beforeAll(async () => {
  // Beside the tests, so that the imports of other packages are found.
  folder = mkdtempSync(join(import.meta.dirname, 'changed-core-'));
  cpSync(source, join(folder, 'core'), { recursive: true });
  for (const file of globSync('core/**/*.ts', { cwd: folder }).filter((name) => !exempt.test(name))) {
    const path = join(folder, file);
    const before = readFileSync(path, 'utf8');
    const after = changed(before);
    if (after !== before) constants += 1;
    writeFileSync(path, after);
  }
  evolveChanged = (await import(join(folder, 'core/evolve.ts'))).evolve;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const replay = (events: readonly DurableEvent[], record: typeof evolve): State =>
  events.reduce((state, event) => record(state, event), initialState());

const logs = globSync(join(corpus, 'v*/*.jsonl'));
const read = (file: string): DurableEvent[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => upgradeEvent(JSON.parse(line)));

describe('E17, 63: with every constant of the core changed', () => {
  it('there is something changed', () => expect(constants).toBeGreaterThan(10));

  it.each(logs)('the log %s gives the same state at every event', (file) => {
    const events = read(file);
    for (let length = 1; length <= events.length; length++) {
      const part = events.slice(0, length);
      expect(replay(part, evolveChanged)).toEqual(replay(part, evolve));
    }
  });

  it('a session of today gives the same state: what persons said, answers that are cut, calls that are wrong, results', () => {
    const session = begin({ limits: { steps: 50 } });
    session.send('Never touch legacy.ts.');
    session.answer([call('nosuch')]);
    session.judge('t1_s1_c1', { verdict: 'deny', rule: 'check tool', isMistake: true, reason: 'There is none.' });
    session.send(`And always run the tests. ${'It is long. '.repeat(40)}`, 'steer');
    session.send('What is there?', 'steer');
    session.answer(Array.from({ length: 300 }, (_, index) => call('echo', { path: `/${index}` })));
    session.answer([text('It is cu')], { stopReason: 'output_limit' });
    for (let cut = 0; cut < 4; cut++) session.answer([], { stopReason: 'output_limit', cutCall: 'write' });
    session.fail('context_overflow');
    session.send('Tell me.', 'queue', { outputSchema: { type: 'object' } });
    for (let wrong = 0; wrong < 3; wrong++) {
      session.answer([text('No.')], { checked: { isValid: false, problem: 'It is no JSON.' } });
    }
    expect(session.count('model.failed')).toBeGreaterThan(2);
    expect(session.count('result.checked')).toBe(2);
    expect(session.events.length).toBeGreaterThan(300);
    expect(replay(session.events, evolveChanged)).toEqual(replay(session.events, evolve));
  });
});
