import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveEntry, resolvePlace } from '../src/paths.ts';
import { createWorkspace, temporaryFolder } from './workspace.ts';

describe('where a path leads (scenario 46)', () => {
  it('is found through symlinks, also for what does not exist yet', async () => {
    const folder = temporaryFolder();
    const outside = temporaryFolder();
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(outside, 'not-yet'), join(folder, 'dangling'));
    symlinkSync('dangling', join(folder, 'twice'));
    expect(await resolvePlace('link/a/b', folder)).toEqual({ path: join(outside, 'a/b'), shown: join(outside, 'a/b') });
    expect((await resolvePlace('dangling', folder)).path).toBe(join(outside, 'not-yet'));
    expect((await resolvePlace('twice', folder)).path).toBe(join(outside, 'not-yet'));
    expect(await resolvePlace('x/../a', folder)).toEqual({ path: join(folder, 'a'), shown: 'a' });
    expect((await resolvePlace('../x', folder)).shown).toBe(join(folder, '../x'));
    expect((await resolvePlace('', folder).catch(String)) as string).toContain('empty');
  });

  it('is refused for a circle, a NUL, a line break, half a character and 4 KB', async () => {
    const folder = temporaryFolder();
    symlinkSync('b', join(folder, 'a'));
    symlinkSync('a', join(folder, 'b'));
    for (const path of ['a', 'x\0y', 'x\ny', 'x\ry', '\ud800x', 'x/'.repeat(2049)]) {
      await expect(resolvePlace(path, folder)).rejects.toMatchObject({ code: 'bad_path' });
    }
  });

  it('is the link itself where the link is meant', async () => {
    const folder = temporaryFolder();
    symlinkSync('/etc', join(folder, 'link'));
    expect((await resolveEntry('link', folder)).path).toBe(join(folder, 'link'));
  });

  it('tells rules of the real file, so a link out of the workspace gets no say as part of it', async () => {
    const { folder, plan, tool, context } = createWorkspace();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret'), 'x');
    symlinkSync(outside, join(folder, 'inner'));
    for (const name of ['write', 'read', 'list', 'glob', 'grep'] as const) {
      const path = name === 'read' || name === 'write' ? 'inner/secret' : 'inner';
      const input = { path, content: 'y', pattern: 'x' };
      expect(await tool(name).paths?.(input, context())).toEqual(
        [join(outside, path.slice('inner/'.length))]
          .map((each) => each.replace(/\/$/, ''))
          .map((each) => (path === 'inner' ? outside : each)),
      );
      if (name !== 'write') expect(await tool(name).approval?.(input, context())).toBe(true);
    }
    expect((await plan('write', { path: 'inner/secret', content: 'y' })).paths).toEqual([join(outside, 'secret')]);
  });

  it('writes through a symlink and leaves the link a link', async () => {
    const { folder, call } = createWorkspace();
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real/a'), 'old');
    symlinkSync('real/a', join(folder, 'link'));
    await call('write', { path: 'link', content: 'new' });
    expect(readFileSync(join(folder, 'real/a'), 'utf8')).toBe('new');
  });
});
