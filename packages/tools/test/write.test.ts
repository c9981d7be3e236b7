import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markOf } from '../src/files/change.ts';
import { parentFolderOf } from '../src/files/disk/operation.ts';
import { digestOf } from '../src/files/regular-file.ts';
import { createWorkspace, temporaryFolder } from './workspace.ts';

/** A small disk of its own can only be had where this user may mount one. */
const canMount = (() => {
  const disk = mkdtempSync(join(tmpdir(), 'pawl-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk], { stdio: 'ignore' });
    execFileSync('umount', [disk]);
    return true;
  } catch {
    console.warn('The test with a full disk is skipped: this user may not mount one.');
    return false;
  } finally {
    rmSync(disk, { recursive: true, force: true });
  }
})();

describe('T3: write', () => {
  it('creates a file with its folders, after showing it as a diff that changes nothing', async () => {
    const { folder, plan, call } = createWorkspace();
    const input = { path: 'a/b/c.txt', content: 'one\ntwo\n' };
    const judged = await plan('write', input);
    expect(judged.paths).toEqual([join(folder, 'a/b/c.txt')]);
    expect(judged.plan.preview).toMatchObject({ kind: 'diff', added: 2, removed: 0, createdFiles: ['a/b/c.txt'] });
    expect(judged.plan.preview?.text).toContain('+one\n+two');
    expect(existsSync(join(folder, 'a'))).toBe(false);
    const outcome = await call('write', input);
    expect(readFileSync(join(folder, 'a/b/c.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(outcome.content).toBe('Created a/b/c.txt (+2 -0 lines).');
    expect(outcome.details).toMatchObject({
      added: 2,
      createdFiles: ['a/b/c.txt'],
      files: { [join(folder, 'a/b/c.txt')]: digestOf(Buffer.from('one\ntwo\n')) },
    });
  });

  it.each([
    ['one\ntwo\n', 'one\r\ntwo\r\n'],
    ['one\rtwo\r', 'one\r\ntwo\r\n'],
    [null, 'one\r\ntwo\r\n'],
  ])('shows that the line ends of %j become those of %j', async (before, content) => {
    const { folder, plan, call } = createWorkspace();
    if (before !== null) writeFileSync(join(folder, 'a'), before);
    const { preview } = (await plan('write', { path: 'a', content })).plan;
    expect(preview?.added).toBe(2);
    expect(preview?.text).toContain('+one\\u{d}\n+two\\u{d}');
    await call('write', { path: 'a', content });
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe(content);
  });

  it('says nothing of line ends that are and stay alike', async () => {
    const { folder, plan } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one\r\ntwo\r\n');
    expect((await plan('write', { path: 'a', content: 'one\nthree\n' })).plan.preview?.text).not.toContain('\\u{d}');
  });

  it('keeps mode, byte order mark and line ends, and leaves nothing beside the file', async () => {
    const { folder, call } = createWorkspace();
    const file = join(folder, 'run.sh');
    writeFileSync(file, '\ufeffone\r\ntwo\r\n');
    chmodSync(file, 0o751);
    await call('write', { path: 'run.sh', content: 'three\nfour\n' });
    expect(readFileSync(file, 'utf8')).toBe('\ufeffthree\r\nfour\r\n');
    expect(statSync(file).mode & 0o777).toBe(0o751);
    expect(readdirSync(folder)).toEqual(['run.sh']);
  });

  it('shows invisible characters in the preview', async () => {
    const { plan } = createWorkspace();
    const { plan: judged } = await plan('write', { path: 'a', content: 'x\u202ey\u001b]52;c;AA\u0007\u200b\n' });
    expect(judged.preview?.text).toContain('+x\\u{202e}y\\u{1b}]52;c;AA\\u{7}\\u{200b}');
  });

  it('does not touch a file that is no longer what was judged, but says so', async () => {
    const { folder, plan, tool, context } = createWorkspace();
    const file = join(folder, 'a');
    writeFileSync(file, 'one');
    const input = { path: 'a', content: 'two' };
    const { paths, plan: judged } = await plan('write', input);
    writeFileSync(file, 'meanwhile');
    await expect(tool('write').run(input, context({ paths, basis: judged.basis ?? null }))).rejects.toMatchObject({
      code: 'outdated',
    });
    expect(readFileSync(file, 'utf8')).toBe('meanwhile');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('does not write to another place than the judged one, when a folder becomes a symlink in between', async () => {
    const { folder, plan, tool, context } = createWorkspace();
    const outside = temporaryFolder();
    const input = { path: 'a/x', content: 'two' };
    const { paths, plan: judged } = await plan('write', input);
    symlinkSync(outside, join(folder, 'a'));
    await expect(tool('write').run(input, context({ paths, basis: judged.basis ?? null }))).rejects.toMatchObject({
      code: 'outdated',
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  it.skipIf(!canMount)('a full disk leaves the file as it was', async () => {
    const disk = join(temporaryFolder(), 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk]);
    try {
      const { call } = createWorkspace({}, disk);
      writeFileSync(join(disk, 'a'), 'old');
      await expect(call('write', { path: 'a', content: 'x'.repeat(200_000) })).rejects.toMatchObject({
        code: 'disk_full',
      });
      expect(readFileSync(join(disk, 'a'), 'utf8')).toBe('old');
      expect(readdirSync(disk)).toEqual(['a']);
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it('breaks a hard link instead of changing the other file', async () => {
    const { folder, call } = createWorkspace();
    const outside = join(temporaryFolder(), 'other');
    writeFileSync(outside, 'old');
    linkSync(outside, join(folder, 'a'));
    await call('write', { path: 'a', content: 'new' });
    expect(readFileSync(outside, 'utf8')).toBe('old');
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new');
  });

  it('refuses a file that changed since it was read', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one');
    await call('read', { path: 'a' });
    writeFileSync(join(folder, 'a'), 'two');
    await expect(call('write', { path: 'a', content: 'x' })).rejects.toMatchObject({ code: 'stale' });
  });

  it('refuses folders, and files in files', async () => {
    const { folder, call } = createWorkspace();
    mkdirSync(join(folder, 'd'));
    writeFileSync(join(folder, 'f'), '');
    await expect(call('write', { path: 'd', content: 'x' })).rejects.toMatchObject({ code: 'is_folder' });
    await expect(call('write', { path: 'f/x', content: 'x' })).rejects.toMatchObject({ code: 'not_folder' });
  });

  it('names that a shell or a program would obey are only names (scenario 48)', async () => {
    const { folder, call } = createWorkspace();
    for (const name of ['$(touch x)', '--upload-pack=x', '-rf', '`id`', 'a b', 'ünï-日本', '*', 'a;b']) {
      await call('write', { path: name, content: name });
      expect(readFileSync(join(folder, name), 'utf8')).toBe(name);
      expect((await call('read', { path: name })).content).toContain(name);
    }
    expect(readdirSync(folder)).toHaveLength(8);
    expect((await call('glob', { pattern: '*' })).content.split('\n')).toHaveLength(8);
    expect((await call('grep', { pattern: 'touch', path: '$(touch x)' })).content).toBe('$(touch x):1:$(touch x)');
    expect((await call('grep', { pattern: 'upload', path: '--upload-pack=x' })).content).toBe(
      '--upload-pack=x:1:--upload-pack=x',
    );
    await call('delete', { path: '-rf' });
    expect(readdirSync(folder)).toHaveLength(7);
  });

  it('knows after a crash whether it happened', async () => {
    const { folder, plan, call, tool, context } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'old');
    const input = { path: 'a', content: 'new' };
    const evidence = (await plan('write', input)).plan.evidence ?? null;
    const reconcile = () => tool('write').reconcile?.(input, evidence, context());
    expect(await reconcile()).toBe('not_done');
    await call('write', input);
    expect(await reconcile()).toMatchObject({
      details: { files: { [join(folder, 'a')]: digestOf(Buffer.from('new')) } },
    });
    writeFileSync(join(folder, 'a'), 'other');
    expect(await reconcile()).toBeNull();
  });

  it('a large rewrite is previewed without looking for the smallest diff', async () => {
    const { folder, plan } = createWorkspace();
    const lines = (mark: string) => Array.from({ length: 20_000 }, (_, index) => `${mark}${index}`).join('\n');
    writeFileSync(join(folder, 'a'), lines('a'));
    const started = performance.now();
    const { plan: judged } = await plan('write', { path: 'a', content: lines('b') });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(judged.preview).toMatchObject({ added: 20_000, removed: 20_000 });
    expect(judged.preview?.text.length).toBeLessThan(70_000);
  });
});

describe('T3: delete', () => {
  it('removes a file, and knows after a crash that it is gone', async () => {
    const { folder, plan, call, tool, context } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'x');
    const { plan: judged } = await plan('delete', { path: 'a' });
    expect(judged.preview).toEqual({ kind: 'text', text: 'Delete a' });
    const reconcile = () => tool('delete').reconcile?.({ path: 'a' }, judged.evidence ?? null, context());
    expect(await reconcile()).toBe('not_done');
    const { details } = await call('delete', { path: 'a' });
    expect(details).toEqual({
      files: { [join(folder, 'a')]: null },
      before: { [join(folder, 'a')]: { kind: 'file', digest: digestOf(Buffer.from('x')), mode: 0o644 } },
    });
    expect(await reconcile()).toMatchObject({ details: { files: { [join(folder, 'a')]: null } } });
    await expect(call('delete', { path: 'a' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('removes a full folder only when told so, after listing what is in it', async () => {
    const { folder, plan, call } = createWorkspace();
    mkdirSync(join(folder, 'd/e'), { recursive: true });
    writeFileSync(join(folder, 'd/e/f'), 'x');
    await expect(call('delete', { path: 'd' })).rejects.toMatchObject({ code: 'not_empty' });
    const judged = await plan('delete', { path: 'd', recursive: true });
    expect(judged.plan.preview?.text).toBe('Delete d with 1 files in 2 folders\n- e/f');
    expect(new Set(judged.paths)).toEqual(new Set(['d', 'd/e', 'd/e/f'].map((path) => join(folder, path))));
    await call('delete', { path: 'd', recursive: true });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('removes a link and not what it leads to', async () => {
    const { folder, call } = createWorkspace();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'keep'), 'x');
    symlinkSync(outside, join(folder, 'link'));
    await call('delete', { path: 'link', recursive: true });
    expect(() => lstatSync(join(folder, 'link'))).toThrow();
    expect(readdirSync(outside)).toEqual(['keep']);
  });

  it('removes nothing when something came to the folder since it was judged', async () => {
    const { folder, plan, tool, context } = createWorkspace();
    mkdirSync(join(folder, 'd'));
    const input = { path: 'd', recursive: true };
    const { paths, plan: judged } = await plan('delete', input);
    writeFileSync(join(folder, 'd/new'), 'x');
    await expect(tool('delete').run(input, context({ paths, basis: judged.basis ?? null }))).rejects.toMatchObject({
      code: 'outdated',
    });
    expect(readdirSync(join(folder, 'd'))).toEqual(['new']);
  });

  it('never removes the folder of the session or one around it', async () => {
    const { call } = createWorkspace();
    for (const path of ['.', '..', '/', 'x/..']) {
      await expect(call('delete', { path, recursive: true })).rejects.toMatchObject({
        code: expect.stringMatching(/refused|too_many/),
      });
    }
  });

  it('refuses a tree with a name that no text can say, with the reason', async () => {
    const { folder, call } = createWorkspace();
    mkdirSync(join(folder, 'tree'));
    writeFileSync(Buffer.concat([Buffer.from(join(folder, 'tree/x')), Buffer.from([0xff])]), 'one');
    await expect(call('delete', { path: 'tree', recursive: true })).rejects.toThrow(
      'tree holds a name that is not valid UTF-8',
    );
    expect(readdirSync(join(folder, 'tree'))).toHaveLength(1);
  });

  it('interrupted when a tree was only moved aside, puts it back to be deleted anew and kept for undo', async () => {
    const { folder, plan, tool, context } = createWorkspace();
    mkdirSync(join(folder, 'tree/in'), { recursive: true });
    writeFileSync(join(folder, 'tree/in/x'), 'one');
    const input = { path: 'tree', recursive: true };
    const { evidence = null } = (await plan('delete', input)).plan;
    // As the tool does it, as far as it came.
    const aside = parentFolderOf({ path: join(folder, 'tree'), shown: 'tree' }, markOf({ session: 's', call: 'c' }));
    await aside.open();
    renameSync(join(folder, 'tree'), aside.former());
    await aside.close();
    expect(await tool('delete').reconcile?.(input, evidence, context())).toBe('not_done');
    expect(readFileSync(join(folder, 'tree/in/x'), 'utf8')).toBe('one');
    expect(readdirSync(folder)).toEqual(['tree']);
  });
});
