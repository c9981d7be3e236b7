import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { canonicalPathsOf } from '../../src/index.ts';

function folder(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-canonical-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'work/src'), { recursive: true });
  mkdirSync(join(root, 'elsewhere/deep'), { recursive: true });
  writeFileSync(join(root, 'elsewhere/secret'), 'x');
  return root;
}

it('P1: the paths that a command names are told with where they lead, as the system resolves them', async () => {
  const root = folder();
  const cwd = join(root, 'work');
  symlinkSync(join(root, 'elsewhere/secret'), join(cwd, 'link'));
  symlinkSync(join(root, 'elsewhere/deep'), join(cwd, 'deep'));
  symlinkSync('../elsewhere/new', join(cwd, 'dangling'));
  symlinkSync('circle', join(cwd, 'circle'));
  const found = await canonicalPathsOf('cat link deep/../secret src/x; echo y > dangling; cat circle ~/z', {
    cwd,
    home: join(root, 'elsewhere'),
  });
  expect(Object.fromEntries(found)).toEqual({
    [`${cwd}/link`]: join(root, 'elsewhere/secret'),
    // `..` behind a symlink is not the folder that the link stands in.
    [`${cwd}/deep/../secret`]: join(root, 'elsewhere/secret'),
    [`${cwd}/src/x`]: join(cwd, 'src/x'),
    [`${cwd}/dangling`]: join(root, 'elsewhere/new'),
    [`${cwd}/circle`]: join(cwd, 'circle'),
    [`${root}/elsewhere/z`]: join(root, 'elsewhere/z'),
  });
});

it('P1: a link that may not be read stands for itself, and is asked about as the place outside that it is', async () => {
  const cwd = join(folder(), 'work');
  // As root all links can be read but those of the kernel's own threads.
  const found = await canonicalPathsOf('cat /proc/2/exe', { cwd, home: cwd });
  expect([...found]).toEqual([['/proc/2/exe', '/proc/2/exe']]);
});
