import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../src/files/regular-file.ts';
import { createWorkspace, temporaryFolder } from './workspace.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('T3: read', () => {
  it('shows lines with their numbers, and remembers the file as seen', async () => {
    const { folder, call, seen } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one\n\ttwo\n');
    expect((await call('read', { path: 'a' })).content).toBe('     1\tone\n     2\t\ttwo');
    expect(seen.get(join(folder, 'a'))).toBe(digestOf(Buffer.from('one\n\ttwo\n')));
    writeFileSync(join(folder, 'empty'), '');
    expect((await call('read', { path: 'empty' })).content).toBe('(empty)');
  });

  it('shows a long file page by page, none of which the engine would cut', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), numbered(1201));
    const first = (await call('read', { path: 'a' })).content;
    expect(first.split('\n')).toHaveLength(501);
    expect(first).toMatch(/\(of 1201 lines; read on with offset 501\)$/);
    expect((await call('read', { path: 'a', offset: 1200 })).content).toBe('  1200\tline 1200\n  1201\tline 1201');
    expect((await call('read', { path: 'a', offset: 5, limit: 1 })).content).toContain('     5\tline 5\n(of');
    expect((await call('read', { path: 'a', limit: 100_000 })).content.split('\n').length).toBeLessThan(600);
    await expect(call('read', { path: 'a', offset: 1202 })).rejects.toMatchObject({ code: 'out_of_range' });
    writeFileSync(join(folder, 'wide'), `${'x'.repeat(1500)}\n`.repeat(100));
    expect(Buffer.byteLength((await call('read', { path: 'wide' })).content)).toBeLessThan(50_000);
  });

  it('cuts an overlong line and says so', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'x'.repeat(100_000));
    expect((await call('read', { path: 'a' })).content).toMatch(/x… \(line cut: 100000 characters\)$/);
  });

  it('names encodings that are not plain UTF-8', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), '\ufeffone\r\ntwo\r\n');
    expect((await call('read', { path: 'a' })).content).toBe(
      '     1\tone\n     2\ttwo\n(lines end with CRLF, which edit keeps)',
    );
    writeFileSync(join(folder, 'b'), Buffer.from('caf\xe9', 'latin1'));
    expect((await call('read', { path: 'b' })).content).toContain('caf\ufffd\n(not valid UTF-8');
    writeFileSync(join(folder, 'c'), Buffer.from('\ufeffü', 'utf16le'));
    expect((await call('read', { path: 'c' })).content).toContain('ü\n(UTF-16');
  });

  it('refuses what is no text file, and never hangs on one', async () => {
    const { folder, call } = createWorkspace({ maxFileBytes: 1000 });
    writeFileSync(join(folder, 'binary'), Buffer.from([1, 0, 2]));
    writeFileSync(join(folder, 'large'), 'x'.repeat(1001));
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await expect(call('read', { path: 'binary' })).rejects.toMatchObject({ code: 'not_text' });
    await expect(call('read', { path: 'large' })).rejects.toMatchObject({ code: 'too_large' });
    await expect(call('read', { path: 'folder' })).rejects.toMatchObject({ code: 'is_folder' });
    await expect(call('read', { path: 'pipe' })).rejects.toMatchObject({ code: 'not_a_file' });
    await expect(call('read', { path: '/dev/zero' })).rejects.toMatchObject({ code: 'not_a_file' });
    await expect(call('read', { path: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('asks outside the workspace and nowhere else', async () => {
    const { folder, tool, context } = createWorkspace();
    const outside = temporaryFolder();
    const asks = (path: string) => tool('read').approval?.({ path }, context());
    expect(await asks('a')).toBe(false);
    expect(await asks(join(folder, 'a'))).toBe(false);
    expect(await asks(join(outside, 'a'))).toBe(true);
    expect(await asks(`${folder}-evil/a`)).toBe(true);
    expect(await asks('output:sha256-0')).toBe(false);
  });

  it('reads on in an output that was cut, one giant line of it too', async () => {
    const { call, blobs, tool, context } = createWorkspace();
    const text = `${numbered(700)}${'y'.repeat(5000)}`;
    const digest = digestOf(Buffer.from(text));
    blobs.set(digest, Buffer.from(text));
    const path = `output:${digest}`;
    expect(await tool('read').paths?.({ path }, context())).toEqual([]);
    expect((await call('read', { path, offset: 699 })).content.split('\n').map((line) => line.length)).toEqual([
      15, 15, 2007, 2007, 1007,
    ]);
    for (const wrong of ['output:', 'output:../../etc/passwd', `output:${digest.replace(/.$/, 'z')}`]) {
      await expect(call('read', { path: wrong })).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
