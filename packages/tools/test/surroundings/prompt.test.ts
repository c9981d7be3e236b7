import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPlace } from './place.ts';

describe('X6: pieces of the system prompt', () => {
  it('stand in the order of their categories, with the agent’s own part after who it is', async () => {
    const place = createPlace();
    const { fragments } = await place.gather({ role: { text: 'You garden.', source: null } });
    const names = (fragments ?? []).filter(({ region }) => region === 'system').map(({ name }) => name);
    expect(names).toEqual([
      'identity',
      'role',
      'folder',
      'looking',
      'refusals',
      'tools',
      'untrusted',
      'instructions',
      'ending',
    ]);
  });

  it('are said where they apply: to the mode, the platform, and whether anybody is there', async () => {
    const place = createPlace();
    const plain = (await place.gather()).text;
    expect(plain).not.toMatch(/You are planning|Nobody is there|BSD/);
    const other = (await place.gather({ mode: 'plan', isAttended: false }, { platform: 'darwin' })).text;
    expect(other).toMatch(/Nobody is there[\s\S]*You are planning[\s\S]*BSD/);
  });

  it('are replaced, added and taken away by files of the user, from the next turn on', async () => {
    const place = createPlace();
    const first = await place.gather();
    place.writeUser('prompts/tools.md', 'Use whatever you like.');
    place.writeUser('prompts/ending.md', '');
    place.writeUser('prompts/style.md', 'Be brief.');
    const { text, fragments } = await place.gather({ isFull: false, fragments: first.fragments ?? [] });
    expect(text).toContain('Use whatever you like.');
    expect(text).not.toContain('Prefer the dedicated file tools');
    expect(text).not.toContain('When you are done');
    expect(fragments).toContainEqual({
      region: 'system',
      name: 'style',
      text: 'Be brief.',
      source: join(place.user, 'prompts/style.md'),
    });
    expect((await place.gather({ isFull: false, fragments: fragments ?? [] })).fragments).toBeNull();
  });

  it('can be for some agents, under conditions, and of a category', async () => {
    const place = createPlace();
    place.writeUser('prompts/a.md', '---\nagents: planner, scout\n---\nFor planners.');
    place.writeUser('prompts/b.md', '---\n# when it holds\nwhen: [unattended]\ncategory: role\n---\nAlone.');
    const builder = (await place.gather()).text;
    expect(builder).not.toMatch(/For planners|Alone/);
    const planner = (await place.gather({ agent: 'planner', isAttended: false })).text;
    expect(planner.indexOf('Alone.')).toBeLessThan(planner.indexOf('Look before you act.'));
    expect(planner).toContain('For planners.');
  });

  it('are left out where a file cannot be read, with its line and what is wrong', async () => {
    const place = createPlace();
    place.writeUser('prompts/a.md', '---\nwhen: sunny\n---\nA.');
    place.writeUser('prompts/b.md', '---\ncolour: red\n---\nB.');
    place.writeUser('prompts/c.md', '---\nwhen: plan\nC.');
    place.writeUser('prompts/d.md', 'D.');
    mkdirSync(join(place.user, 'prompts/e.md'));
    const { text, notices } = await place.gather();
    expect(text).toContain('D.');
    expect(notices).toEqual([
      expect.stringContaining('e.md is left out: it is no file.'),
      expect.stringMatching(/a\.md is left out: line 2: "sunny" is none of attended, unattended, plan/),
      expect.stringMatching(/b\.md is left out: line 2: there is no setting "colour"/),
      expect.stringMatching(/c\.md is left out: line 1: the head that begins here has no end/),
    ]);
  });

  it('take the user’s first, then the project’s, then what is set at runtime', async () => {
    const place = createPlace();
    place.writeUser('prompts/style.md', 'User.');
    const file = { name: 'style', path: '/w/.pawl/prompts/style.md', text: 'Project.' };
    const projectPrompts = async () => [file];
    expect((await place.gather()).text).toContain('User.');
    expect((await place.gather({}, { projectPrompts })).text).toContain('Project.');
    const set = await place.gather({ prompts: new Map([['style', 'Runtime.']]) }, { projectPrompts });
    expect(set.text).toContain('Runtime.');
    expect(set.text).not.toMatch(/User|Project\./);
  });
});
