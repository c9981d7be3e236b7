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
    expect(before.warnings.join()).toContain('flows: ignored, because you have not trusted them');
    const shown = await pawl(place, ['trust', '--yes']);
    expect(shown.stdout).toContain('starts work of agents when work ends');
    const after = await read(place);
    expect(after.flows).toMatchObject([{ name: 'then-edit', start: { agent: 'editor' } }]);
    write(project(place), `${flows}        # changed\n`.replace('Build it', 'Sell it'));
    expect((await read(place)).flows).toEqual([]);
  });

  it('are refused with the place of a mistake', async () => {
    const place = makePlace();
    write(join(place.home, '.config', 'pawl', 'config.yaml'), flows.replace('completed', 'done'));
    await expect(read(place)).rejects.toThrow(/flows.*outcome/);
  });
});
