import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlace, pawl } from './pawl.ts';

/** A place whose user has this configuration. */
function placeWith(config: string) {
  const place = makePlace({ 'a.ts': '// TODO: mend this\n' });
  const path = join(place.home, '.config', 'pawl', 'config.yaml');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, config);
  return { ...place, path };
}

const task = 'Find every TODO in this folder and write a report to TODO.md';

describe('the configuration (D6)', () => {
  it('gives the model, mode, limits and rules of runs that name none', async () => {
    const place = placeWith('model: demo\nmode: accept-edits\nlimits:\n  steps: 2\n');
    const { code, stdout } = await pawl(place, ['run', '--output-format', 'json', task]);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'max_steps', steps: 2 });
    const again = await pawl(place, ['run', '--max-steps', '5', '--output-format', 'json', task]);
    expect([again.code, JSON.parse(again.stdout).outcome]).toEqual([0, 'completed']);
  });

  it('denies by the rules of the user, also what a flag allows', async () => {
    const place = placeWith('model: demo\nrules:\n  deny: [write]\n');
    const { stdout } = await pawl(place, ['run', '--allow', 'write', '--output-format', 'stream-json', task]);
    expect(stdout).toContain('"rule":"deny write"');
  });

  it.each([
    ['a wrong type', 'limits:\n  steps: many\n', 'limits.steps: Instance type "string" is invalid.'],
    ['an unknown key', 'modle: demo\n', 'modle: there is no such setting.'],
    ['a value outside its bounds', 'limits: { steps: 0 }\n', 'limits.steps: 0 is less than 1.'],
    ['a duplicate', 'model: demo\nmodel: other\n', 'Map keys must be unique'],
    ['a cycle', 'rules: &a\n  deny: *a\n', 'it refers to itself'],
    ['broken YAML', 'model: [demo\n', 'Flow sequence'],
    ['a rule that is none', 'rules: { allow: ["bash(ls"] }\n', 'rules.allow.0: '],
    ['no mapping', 'demo\n', 'the file: '],
  ])('is refused for %s with one line that names the place, exit 2', async (_, config, problem) => {
    const place = placeWith(config);
    const { code, stdout, stderr } = await pawl(place, ['run', task]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${place.path}: `);
    expect(stderr).toContain(problem);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('says so when the file that PAWL_CONFIG names is not there, and is not needed otherwise', async () => {
    const place = makePlace();
    const missing = await pawl(place, ['run', '--model', 'demo', task], { env: { PAWL_CONFIG: 'nowhere.yaml' } });
    expect([missing.code, missing.stderr.includes('there is no such file')]).toEqual([2, true]);
    expect((await pawl(place, ['run', '--model', 'demo', 'List the files'])).code).toBe(0);
  });
});
