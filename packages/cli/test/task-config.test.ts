import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { makePlace, type Place, pawl } from './pawl.ts';

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const project = (place: Place) => join(place.folder, '.pawl', 'config.yaml');
const read = (place: Place) =>
  readConfig({
    folder: place.folder,
    environment: { XDG_CONFIG_HOME: join(place.home, '.config'), PAWL_HOME: place.env.PAWL_HOME },
  });

const flows = `flows:
  - name: then-edit
    when: { agent: architect, outcome: completed }
    start: { agent: editor, prompt: "Build it: {{result}}" }
`;

describe('A7: flows in the settings', () => {
  it("of a project take effect only once the user has trusted them; a project's limits of tasks only narrow", async () => {
    const place = makePlace();
    write(join(place.home, '.config', 'pawl', 'config.yaml'), 'tasks:\n  live: 4\n');
    write(project(place), `tasks:\n  live: 6\n  depth: 1\n${flows}`);
    const before = await read(place);
    expect(before.tasks).toEqual({ live: 4, depth: 1 });
    expect(before.flows).toEqual([]);
    expect(before.warnings.join()).toContain('flows: ignored, because you have not trusted it');
    const shown = await pawl(place, ['trust', '--yes']);
    expect(shown.stdout).toContain('starts work of agents when work ends');
    const after = await read(place);
    expect(after.flows).toMatchObject([{ name: 'then-edit', start: { agent: 'editor' } }]);
    write(project(place), `${flows}        # changed\n`.replace('Build it', 'Sell it'));
    const changed = await read(place);
    expect(changed.flows).toEqual([]);
    expect(changed.warnings.join()).toContain('flows: ignored, because the project has changed since you trusted it');
  });

  it('make nothing larger than it is without the project, and say so (P1)', async () => {
    const place = makePlace();
    write(
      project(place),
      'tasks: { live: 60, depth: 1, resume: cancel }\nlimits: { steps: 500, usd: 3, approvalTimeoutMs: 0 }\n',
    );
    const { tasks, limits, warnings } = await read(place);
    expect(tasks).toEqual({ depth: 1, resume: 'cancel' });
    expect(limits).toEqual({ usd: 3 });
    const ignored = (name: string) =>
      expect.stringMatching(`${name}: ignored, because a project may only make limits smaller`);
    expect(warnings).toEqual([ignored('limits.steps'), ignored('limits.approvalTimeoutMs'), ignored('tasks.live')]);
    write(join(place.home, '.config', 'pawl', 'config.yaml'), 'tasks: { live: 64 }\nlimits: { steps: 600 }\n');
    const after = await read(place);
    expect([after.tasks.live, after.limits.steps]).toEqual([60, 500]);
  });

  it('are refused with the place of a mistake', async () => {
    const place = makePlace();
    write(join(place.home, '.config', 'pawl', 'config.yaml'), flows.replace('completed', 'done'));
    await expect(read(place)).rejects.toThrow(/flows.*outcome/);
  });
});
