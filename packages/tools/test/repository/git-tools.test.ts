import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { judgeByRules } from '@pawl/policy';
import type { JsonObject } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { createWorkspace, temporaryFolder } from '../workspace.ts';
import { createBusyRepository, createRepository } from './repository.ts';

describe('T9: git_status', () => {
  it('shows the branch and what changed, and writes nothing', async () => {
    const { call, folder } = createBusyRepository();
    const before = statSync(join(folder, '.git/index')).mtimeMs;
    expect((await call('git_status')).content).toBe('On main.\n M a.txt\nM  src/b.ts\n?? new.txt');
    expect(statSync(join(folder, '.git/index')).mtimeMs).toBe(before);
  });

  it('is about the working folder, where that is only a part of the repository', async () => {
    const { folder } = createBusyRepository();
    const inner = createRepositoryIn(folder, 'src');
    expect((await inner.call('git_status')).content).toBe('On main.\nM  b.ts');
  });

  it('says that there is nothing, that there is no commit, and that there is no repository', async () => {
    const { call, git, write } = createRepository();
    expect((await call('git_status')).content).toBe('On main.\nNothing has changed.');
    expect((await call('git_log')).content).toBe('There are no commits yet.');
    expect((await call('git_diff')).content).toBe('Nothing differs.');
    write('a', 'x\n');
    git('add', 'a');
    expect((await call('git_diff')).content).toContain('+x');
    const outside = temporaryFolder();
    mkdirSync(join(outside, 'inner'));
    await expect(createRepositoryIn(outside, 'inner').call('git_status')).rejects.toThrow('not in a git repository');
  });

  it('names a rename with both ends, whatever is in the names', async () => {
    const { call, git, write } = createRepository();
    write('old "name"\n.txt', 'some text\n'.repeat(10));
    git('add', '.');
    git('commit', '-qm', 'x');
    git('mv', 'old "name"\n.txt', 'neu \u202e -> ü.txt');
    expect((await call('git_status')).content).toBe('On main.\nR  old "name"\\u{a}.txt -> neu \\u{202e} -> ü.txt');
  });
});

describe('T9: git_diff', () => {
  it('shows what changed since the last commit, staged or not, and the files to the rules', async () => {
    const { call, judge, folder } = createBusyRepository();
    const { content } = await call('git_diff');
    expect(content).toContain('+two');
    expect(content).toContain('-const b = 1;\n+const b = 2;');
    expect((await judge('git_diff')).paths).toEqual([join(folder, 'a.txt'), join(folder, 'src/b.ts')]);
    expect((await call('git_diff', { staged: true })).content).not.toContain('+two');
    expect((await call('git_diff', { paths: ['a.txt'] })).content).not.toContain('const b');
  });

  it('compares commits and ranges', async () => {
    const { call, git } = createBusyRepository();
    git('commit', '-qam', 'Second');
    git('branch', 'topic', 'HEAD~1');
    expect((await call('git_diff', { revisions: 'HEAD~1..HEAD' })).content).toContain('+two');
    expect((await call('git_diff', { revisions: 'topic...main' })).content).toContain('+two');
    expect((await call('git_diff', { revisions: 'topic' })).content).toContain('+two');
    await expect(call('git_diff', { revisions: 'nothing' })).rejects.toThrow('no commit "nothing"');
    await expect(call('git_diff', { revisions: 'a..b', staged: true })).rejects.toThrow();
  });

  it('of a file that may not be read is refused by the same rule', async () => {
    const { git, write, judge, folder, tool } = createBusyRepository();
    write('.env', 'KEY=1\n');
    git('add', '-f', '.env');
    const { paths } = await judge('git_diff');
    const ruling = judgeByRules({
      tool: 'git_diff',
      subjects: paths.map((value) => ({ kind: 'path' as const, value })),
      cwd: folder,
      home: '/h',
      layers: [{ name: 'user', rules: { deny: ['read(.env)'], ask: [], allow: [] } }],
      mode: 'auto',
      effect: 'read',
      toolAsks: false,
    });
    expect(tool('git_diff').subjectKind).toBe('path');
    expect(ruling.verdict).toBe('deny');
  });

  it('of other files than were judged is judged again', async () => {
    const { judge, run, write, git } = createBusyRepository();
    const judged = await judge('git_diff');
    write('.env', 'KEY=1\n');
    git('add', '-f', '.env');
    await expect(run('git_diff', {}, judged)).rejects.toMatchObject({ code: 'outdated' });
  });

  it.each(['../', '/etc', '~/x', '../elsewhere.txt'])('of %s, outside the working folder, is refused', async (path) => {
    const { folder } = createBusyRepository();
    const inner = createRepositoryIn(folder, 'src');
    for (const name of ['git_diff', 'git_log'])
      await expect(inner.call(name, { paths: [path] })).rejects.toThrow('outside the working folder');
    await expect(inner.call('git_commit', { message: 'x', paths: [path] })).rejects.toThrow(
      'outside the working folder',
    );
  });
});

describe('T9: git_log', () => {
  it('lists commits with their marks, for a path, and at most so many', async () => {
    const { call, git } = createBusyRepository();
    git('commit', '-qm', 'Second: tab\there');
    git('tag', 'v1');
    const { content } = await call('git_log');
    expect(content).toMatch(
      /^[0-9a-f]{7,} \d{4}-\d\d-\d\d Test \(HEAD -> main, tag: v1\): Second: tab here\n[0-9a-f]{7,} \S+ Test: First commit$/,
    );
    expect((await call('git_log', { limit: 1 })).content.split('\n')).toHaveLength(1);
    expect((await call('git_log', { paths: ['a.txt'] })).content).not.toContain('Second');
    expect((await call('git_log', { revisions: 'HEAD~1..HEAD' })).content.split('\n')).toHaveLength(1);
  });
});

describe('T9: git_commit', () => {
  it('commits what is staged, exactly as it was shown, and nothing else', async () => {
    const { call, judge, git } = createBusyRepository();
    const { plan } = await judge('git_commit', { message: 'Change b\n\nBecause.' });
    expect(plan.preview).toMatchObject({
      text: 'Commit on main:\n\nChange b\n\nBecause.\n\nM src/b.ts',
      added: 1,
      removed: 1,
    });
    const { content, details } = await call('git_commit', { message: 'Change b\n\nBecause.' });
    expect(content).toMatch(/^Committed [0-9a-f]{10} on main: Change b \(1 files, \+1 -1\)$/);
    expect(git('log', '-1', '--format=%H %an <%ae>%n%B').trim()).toBe(
      `${details?.commit} Test <test@example.com>\nChange b\n\nBecause.`,
    );
    expect(git('status', '--short')).toBe(' M a.txt\n?? new.txt\n');
  });

  it('commits named paths, new and deleted ones too, and leaves what else is staged', async () => {
    const { call, git, folder, write } = createBusyRepository();
    write('gone.txt', 'x\n');
    git('add', 'gone.txt');
    git('commit', '-qm', 'With gone', '--', 'gone.txt');
    rmSync(join(folder, 'gone.txt'));
    await call('git_commit', { message: 'Some', paths: ['new.txt', 'gone.txt', 'a.txt'] });
    expect(git('show', '--name-status', '--format=', 'HEAD')).toBe('M\ta.txt\nD\tgone.txt\nA\tnew.txt\n');
    expect(git('status', '--short')).toBe('M  src/b.ts\n');
  });

  it('makes the first commit of all', async () => {
    const { call, git, write } = createRepository();
    write('a', 'x\n');
    await call('git_commit', { message: 'First', paths: ['.'] });
    expect(git('log', '--format=%s')).toBe('First\n');
    expect(git('status', '--short')).toBe('');
  });

  it('planning it changes nothing, not even in the store of objects', async () => {
    const { judge, git } = createBusyRepository();
    const before = [git('count-objects', '-v'), git('status', '--short')];
    await judge('git_commit', { message: 'x', paths: ['.'] });
    expect([git('count-objects', '-v'), git('status', '--short')]).toEqual(before);
  });

  it.each<[string, (repository: ReturnType<typeof createBusyRepository>) => void]>([
    ['a file changed', ({ write }) => write('a.txt', 'other\n')],
    ['a file came', ({ write }) => write('late.txt', 'late\n')],
    ['a mode changed', ({ folder }) => chmodSync(join(folder, 'a.txt'), 0o755)],
    ['somebody else committed', ({ git }) => git('commit', '-qm', 'Other')],
  ])('is judged again when %s between the question and the answer', async (_, change) => {
    const repository = createBusyRepository();
    const input = { message: 'All', paths: ['.'] };
    const judged = await repository.judge('git_commit', input);
    change(repository);
    const before = repository.git('rev-parse', 'HEAD');
    await expect(repository.run('git_commit', input, judged)).rejects.toMatchObject({ code: 'outdated' });
    expect(repository.git('rev-parse', 'HEAD')).toBe(before);
  });

  it('with nothing to commit, in a merge, or with no message says so', async () => {
    const { judge, git, write } = createBusyRepository();
    git('commit', '-qam', 'Second');
    await expect(judge('git_commit', { message: 'x' })).rejects.toThrow('Nothing is staged');
    await expect(judge('git_commit', { message: 'x', paths: ['a.txt'] })).rejects.toThrow('Nothing has changed there');
    await expect(judge('git_commit', { message: ' \n' })).rejects.toThrow('message is empty');
    await expect(judge('git_commit', { message: 'x', paths: ['nowhere'] })).rejects.toThrow('nowhere');
    git('checkout', '-qb', 'topic', 'HEAD~1');
    write('a.txt', 'conflict\n');
    git('commit', '-qam', 'Topic');
    expect(() => git('merge', 'main')).toThrow();
    await expect(judge('git_commit', { message: 'x' })).rejects.toThrow('A merge, cherry-pick or revert is under way');
  });

  it('without a name for the author says what git says', async () => {
    const repository = createBusyRepository();
    repository.git('config', 'user.useConfigOnly', 'true');
    repository.git('config', 'user.name', '');
    await expect(repository.call('git_commit', { message: 'x' })).rejects.toThrow(/tell me who you are|empty ident/i);
    expect(repository.git('log', '--format=%s')).toBe('First commit\n');
  });

  it('knows after a crash whether it happened', async () => {
    const repository = createBusyRepository();
    const input: JsonObject = { message: 'Change b' };
    const { context } = createWorkspace({}, repository.folder);
    const judged = await repository.judge('git_commit', input);
    const evidence = judged.plan.evidence ?? null;
    const reconcile = () => repository.tool('git_commit').reconcile?.(input, evidence, context());
    expect(await reconcile()).toBe('not_done');
    await repository.run('git_commit', input, judged);
    expect(await reconcile()).toMatchObject({ content: expect.stringMatching(/^Committed [0-9a-f]{10} before/) });
    repository.write('c.txt', 'c\n');
    await repository.call('git_commit', { message: 'Other', paths: ['c.txt'] });
    expect(await reconcile()).toBeNull();
  });

  it('after a crash between commit and index, does the rest', async () => {
    const repository = createBusyRepository();
    const input: JsonObject = { message: 'Change a', paths: ['a.txt'] };
    const { context } = createWorkspace({}, repository.folder);
    const judged = await repository.judge('git_commit', input);
    await repository.run('git_commit', input, judged);
    repository.git('update-index', '--cacheinfo', `100644,${repository.git('rev-parse', 'HEAD~1:a.txt').trim()},a.txt`);
    expect(repository.git('status', '--short')).toContain('MM a.txt');
    await repository.tool('git_commit').reconcile?.(input, judged.plan.evidence ?? null, context());
    expect(repository.git('status', '--short')).toBe('M  src/b.ts\n?? new.txt\n');
  });

  it('is either made whole or not at all, whenever it is cancelled', async () => {
    const repository = createBusyRepository();
    const input: JsonObject = { message: 'New', paths: ['new.txt'] };
    const { context } = createWorkspace({}, repository.folder);
    const states = new Set<string>();
    // Each round is cancelled a little later than the one before, until one is not cancelled any more.
    for (let delayMs = 0, isDone = false; !isDone; delayMs += 2) {
      const { paths, plan } = await repository.judge('git_commit', input);
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(new Error('cancelled')), delayMs);
      const outcome = await repository
        .tool('git_commit')
        .run(input, context({ paths, basis: plan.basis ?? null, signal: controller.signal }))
        .then(
          () => 'made',
          () => 'cancelled',
        );
      clearTimeout(timer);
      isDone = outcome === 'made';
      states.add(`${outcome}: ${repository.git('log', '-1', '--format=%s')}${repository.git('status', '--short')}`);
    }
    expect([...states]).toEqual([
      'cancelled: First commit\n M a.txt\nM  src/b.ts\n?? new.txt\n',
      'made: New\n M a.txt\nM  src/b.ts\n',
    ]);
  });

  it('is not made while another git has locked the index', async () => {
    const repository = createBusyRepository();
    repository.write('.git/index.lock', '');
    const committing = repository.call('git_commit', { message: 'x', paths: ['a.txt'] });
    await expect(committing).rejects.toMatchObject({ code: 'locked' });
    expect(repository.git('log', '--format=%s')).toBe('First commit\n');
  });

  it('of a file in conflict is refused, also where no merge is under way', async () => {
    const { judge, git, write } = createBusyRepository();
    git('stash', '-q');
    write('a.txt', 'other\n');
    git('commit', '-qam', 'Other');
    expect(() => git('stash', 'pop')).toThrow();
    await expect(judge('git_commit', { message: 'x', paths: ['a.txt'] })).rejects.toThrow('a.txt is in conflict');
  });

  it('of more files than can be listed is refused, as no rule could be asked about them', async () => {
    const { judge, folder, write } = createRepository();
    mkdirSync(join(folder, 'many'));
    for (let number = 0; number < 36_000; number++) write(`many/${String(number).padStart(240, 'x')}`, '');
    await expect(judge('git_commit', { message: 'x', paths: ['.'] })).rejects.toMatchObject({ code: 'too_much' });
  });

  it('is no edit: it asks, also in a mode that lets edits be', async () => {
    const { tool, judge, folder } = createBusyRepository();
    const { paths } = await judge('git_commit', { message: 'x' });
    expect(paths).toEqual([join(folder, 'src/b.ts')]);
    const ruling = judgeByRules({
      tool: 'git_commit',
      subjects: paths.map((value) => ({ kind: 'path' as const, value })),
      cwd: folder,
      home: '/h',
      layers: [],
      mode: 'accept-edits',
      effect: tool('git_commit').effect as 'external',
      toolAsks: true,
    });
    expect(ruling.verdict).toBe('ask');
  });
});

function createRepositoryIn(folder: string, name: string) {
  const inner = join(folder, name);
  const repository = createRepository(temporaryFolder());
  const { context } = createWorkspace({}, inner);
  return {
    async call(tool: string, input: JsonObject = {}) {
      const paths = (await repository.tool(tool).paths?.(input, context())) ?? [];
      const plan = (await repository.tool(tool).plan?.(input, context())) ?? {};
      return repository.tool(tool).run(input, context({ paths, basis: plan.basis ?? null }));
    },
  };
}
