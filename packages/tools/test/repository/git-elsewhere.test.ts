import { execFileSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorkspace, temporaryFolder } from '../workspace.ts';
import { createBusyRepository, createRepository, type TestRepository } from './repository.ts';

describe('T9, scenario 47: a folder that says that its repository is elsewhere', () => {
  const attack = (make: (folder: string, victim: TestRepository) => void) => async () => {
    const victim = createBusyRepository();
    const repository = createRepository(temporaryFolder());
    const folder = temporaryFolder();
    make(folder, victim);
    const { context } = createWorkspace({}, folder);
    for (const name of ['git_status', 'git_log', 'git_diff']) {
      const work = async () => {
        await repository.tool(name).paths?.({}, context());
        return repository.tool(name).run({}, context());
      };
      await expect(work(), name).rejects.toMatchObject({ code: expect.stringMatching(/odd_repository|no_repository/) });
    }
  };

  it(
    'a .git file that points to another repository',
    attack((folder, victim) => writeFileSync(join(folder, '.git'), `gitdir: ${victim.folder}/.git\n`)),
  );

  it(
    'a .git that is a link',
    attack((folder, victim) => symlinkSync(join(victim.folder, '.git'), join(folder, '.git'))),
  );

  it(
    'a forged commondir',
    attack((folder, victim) => {
      mkdirSync(join(folder, '.git'));
      writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(join(folder, '.git/commondir'), `${victim.folder}/.git\n`);
    }),
  );

  it(
    'a forged working tree with a forged commondir',
    attack((folder, victim) => {
      const forged = join(folder, 'data/worktrees/x');
      mkdirSync(forged, { recursive: true });
      writeFileSync(join(folder, '.git'), `gitdir: ${forged}\n`);
      writeFileSync(join(forged, 'HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(join(forged, 'gitdir'), `${folder}/.git\n`);
      writeFileSync(join(forged, 'commondir'), `${victim.folder}/.git\n`);
    }),
  );

  it(
    'a repository with links to the parts of another',
    attack((folder, victim) => {
      execFileSync('git', ['init', '-q', folder]);
      execFileSync('rm', ['-r', join(folder, '.git/refs'), join(folder, '.git/objects')]);
      for (const part of ['refs', 'objects'])
        symlinkSync(join(victim.folder, '.git', part), join(folder, '.git', part));
    }),
  );

  it(
    'a forged submodule',
    attack((folder, victim) => {
      writeFileSync(join(folder, '.git'), `gitdir: ${victim.folder}/.git\n`);
      victim.git('config', 'core.worktree', '../../elsewhere');
    }),
  );

  it(
    'a .git that is a pipe, or says nothing',
    attack((folder) => writeFileSync(join(folder, '.git'), 'nonsense\n')),
  );

  it(
    'a bare repository within the tree is none',
    attack((folder) => {
      execFileSync('git', ['init', '-q', '--bare', folder]);
    }),
  );

  /** A working tree whose `.git` file points, as one may read it, to a repository in it that points back. */
  const pointing = (folder: string, name: string, text: string) => {
    execFileSync('git', ['init', '-q', folder]);
    execFileSync('git', ['-C', folder, 'config', 'core.worktree', folder]);
    cpSync(join(folder, '.git'), join(folder, name), { recursive: true });
    rmSync(join(folder, '.git'), { recursive: true });
    writeFileSync(join(folder, '.git'), text);
  };

  it.each([' ', '\u00a0', '\t'])('a .git file with a name that ends in %j', (blank) =>
    attack((folder, victim) => {
      pointing(folder, 'own', `gitdir: own${blank}\n`);
      symlinkSync(join(victim.folder, '.git'), join(folder, `own${blank}`));
    })(),
  );

  it(
    'a .git file of more than one line',
    attack((folder, victim) => {
      pointing(folder, 'own', `gitdir: own\n/../${relative(folder, victim.folder)}/.git\n`);
      mkdirSync(join(folder, 'own\n'));
    }),
  );

  it.each(['up \n', 'up\n/../../../../../victim\n'])('a commondir that says %j', (text) =>
    attack((folder, victim) => {
      const shared = join(folder, 'own');
      execFileSync('git', ['init', '-q', '--bare', shared]);
      const forged = join(shared, 'worktrees/x');
      mkdirSync(join(forged, 'up\n'), { recursive: true });
      symlinkSync('../..', join(forged, 'up'));
      symlinkSync(join(victim.folder, '.git'), join(forged, 'up '));
      symlinkSync(join(victim.folder, '.git'), join(folder, '../victim'));
      onTestFinished(() => rmSync(join(folder, '../victim')));
      writeFileSync(join(forged, 'HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(join(forged, 'gitdir'), `${folder}/.git\n`);
      writeFileSync(join(forged, 'commondir'), text);
      writeFileSync(join(folder, '.git'), `gitdir: ${forged}\n`);
    })(),
  );

  it(
    'a repository that borrows the objects of another (alternates)',
    attack((folder, victim) => {
      execFileSync('git', ['init', '-q', folder]);
      writeFileSync(join(folder, '.git/objects/info/alternates'), `${victim.folder}/.git/objects\n`);
      symlinkSync(join(victim.folder, '.git/refs/heads/main'), join(folder, '.git/refs/heads/main'));
    }),
  );

  it(
    'a repository with links to folders of objects of another',
    attack((folder, victim) => {
      execFileSync('git', ['init', '-q', folder]);
      const objects = join(victim.folder, '.git/objects');
      for (const name of readdirSync(objects).filter((each) => each.length === 2))
        symlinkSync(join(objects, name), join(folder, '.git/objects', name));
      symlinkSync(join(victim.folder, '.git/refs/heads/main'), join(folder, '.git/refs/heads/main'));
    }),
  );

  it.each([
    'HEAD',
    'config',
    'index',
    'packed-refs',
    'shallow',
    'info/grafts',
    'info/exclude',
    'objects/info/alternates',
  ])('a repository whose %s is a pipe, which git would wait for', (part) =>
    attack((folder) => {
      execFileSync('git', ['init', '-q', folder]);
      rmSync(join(folder, '.git', part), { force: true });
      execFileSync('mkfifo', [join(folder, '.git', part)]);
    })(),
  );

  it.each(['shallow', 'info/grafts', 'info/attributes'])('a repository whose %s has no end', (part) =>
    attack((folder) => {
      execFileSync('git', ['init', '-q', folder]);
      symlinkSync('/dev/zero', join(folder, '.git', part));
    })(),
  );

  it('core.worktree does not lead out of the folder', async () => {
    const repository = createBusyRepository();
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, 'secret.txt'), 'secret');
    repository.git('config', 'core.worktree', elsewhere);
    expect((await repository.call('git_status')).content).toBe('On main.\n M a.txt\nM  src/b.ts\n?? new.txt');
  });

  const isRoot = process.getuid?.() === 0;
  if (!isRoot) console.warn('The test of a repository of another user is skipped: only root can make one.');
  it.skipIf(!isRoot)('a repository of another user is left alone, as git does', async () => {
    const repository = createBusyRepository();
    chownSync(repository.folder, 12_345, 12_345);
    chownSync(join(repository.folder, '.git'), 12_345, 12_345);
    await expect(repository.call('git_status')).rejects.toThrow('dubious ownership');
  });

  it('a real linked working tree works', async () => {
    const repository = createBusyRepository();
    const place = join(temporaryFolder(), 'tree');
    repository.git('worktree', 'add', '-q', place, '-b', 'topic');
    const linked = createRepository(place);
    linked.write('a.txt', 'in the tree\n');
    expect((await linked.call('git_status')).content).toBe('On topic.\n M a.txt');
    await linked.call('git_commit', { message: 'In the tree', paths: ['a.txt'] });
    expect(repository.git('log', '-1', '--format=%s', 'topic')).toBe('In the tree\n');
  });
});
