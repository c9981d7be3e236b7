import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eventSchema } from '@pawl/protocol/schemas';
import { describe, expect, it } from 'vitest';
import { makePlace, type Place, pawl, todoFiles } from './pawl.ts';

const demo = (place: Place, id: string, prompt: string) =>
  pawl(place, ['run', '-m', 'demo', '--session-id', id, '--permission-mode', 'accept-edits', prompt]);

describe('pawl sessions', () => {
  it('lists those of this folder, newest first, those of all folders, and those that say something', async () => {
    const place = makePlace({ ...todoFiles, 'deep/x.ts': 'x' });
    await demo(place, 'one', 'List the files in src');
    await demo(place, 'two', 'Find every TODO in this folder');
    await pawl(place, ['run', '-m', 'demo', '-C', 'deep', '--session-id', 'three', 'List the files in .']);
    const ids = async (...args: string[]) => {
      const { stdout } = await pawl(place, ['sessions', 'list', '--json', ...args]);
      return JSON.parse(stdout).map(({ session }: { session: string }) => session);
    };
    expect(await ids()).toEqual(['two', 'one']);
    expect(await ids('--all')).toEqual(['three', 'two', 'one']);
    expect(await ids('--search', 'TODO')).toEqual(['two']);
    expect(await ids('--limit', '1')).toEqual(['two']);
    const table = await pawl(place, ['sessions', 'list']);
    expect(table.stdout).toMatch(/^two {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}Find every TODO in this folder — demo\n/);
    const none = await pawl(place, ['sessions', 'list', '--search', 'xyzzy']);
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toContain('No session in this folder matches');
  });

  it('shows one by the beginning of its id, and says when that is not enough', async () => {
    const place = makePlace(todoFiles);
    await demo(place, 'alpha-1', 'List the files in src');
    await demo(place, 'alpha-2', 'List the files in lib');
    const shown = await pawl(place, ['sessions', 'show', 'alpha-1']);
    expect(shown.stdout).toContain('you (m');
    expect(shown.stdout).toMatch(/✓ glob \S+ in src/);
    expect(shown.stdout).toContain('turn 1: completed');
    const ambiguous = await pawl(place, ['sessions', 'show', 'alpha']);
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.stderr).toMatch(/2 sessions: .*alpha-1/);
    const latest = await pawl(place, ['sessions', 'show', 'latest', '--json', '--last', '1']);
    const { session, entries } = JSON.parse(latest.stdout);
    expect(session).toBe('alpha-2');
    expect(entries[0]).toMatchObject({ kind: 'assistant' });
  });

  it('shows all of one with --full: arguments, results and what decided, with nothing cut', async () => {
    const place = makePlace(Object.fromEntries([...Array(60).keys()].map((n) => [`src/file-${n}.ts`, 'x\n'])));
    await demo(place, 'alpha', 'List the files in src');
    const usual = await pawl(place, ['sessions', 'show', 'alpha']);
    expect(usual.stdout).not.toContain('src/file-59.ts\n      ');
    const { stdout } = await pawl(place, ['sessions', 'show', 'alpha', '--full']);
    expect(stdout).toMatch(/ {2}glob t1_s1_c1, ok, \d+ ms\n {4}\w+: /);
    expect(stdout).toContain('    decided by ');
    for (const name of ['file-0.ts', 'file-59.ts']) expect(stdout).toMatch(new RegExp(`\\n {6}.*${name}\\n`));
    const last = await pawl(place, ['sessions', 'show', 'alpha', '--full', '--last', '1']);
    expect(last.stdout).not.toContain('decided by');
  });

  it('names one, and leaves one out of the list until it is asked for', async () => {
    const place = makePlace(todoFiles);
    await demo(place, 'alpha', 'List the files in src');
    await demo(place, 'beta', 'List the files in lib');
    expect((await pawl(place, ['sessions', 'rename', 'alpha', 'The', 'garden'])).code).toBe(0);
    expect((await pawl(place, ['sessions', 'list', '-s', 'garden'])).stdout).toMatch(/alpha .*The garden/);
    expect((await pawl(place, ['sessions', 'archive', 'alpha'])).code).toBe(0);
    expect((await pawl(place, ['sessions', 'archive', 'alpha'])).stderr).toContain('archived already');
    expect((await pawl(place, ['sessions', 'list'])).stdout).not.toContain('alpha');
    expect((await pawl(place, ['sessions', 'list', '--archived'])).stdout).toMatch(/^alpha .*The garden/);
    expect((await pawl(place, ['sessions', 'show', 'alpha'])).stdout).toMatch(/^The garden\n/);
    expect((await pawl(place, ['sessions', 'archive', '--undo', 'alpha'])).code).toBe(0);
    expect((await pawl(place, ['sessions', 'list'])).stdout).toContain('alpha');
    expect((await pawl(place, ['sessions', 'rename', 'alpha', ' '])).code).toBe(2);
  });

  it('goes on with no archived one unless it is named', async () => {
    const place = makePlace(todoFiles);
    await demo(place, 'alpha', 'List the files in src');
    await demo(place, 'beta', 'List the files in lib');
    await pawl(place, ['sessions', 'archive', 'beta']);
    const shown = await pawl(place, ['sessions', 'show', 'latest', '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ session: 'alpha' });
    const json = ['--output-format', 'json', '--model', 'demo', 'List the files in src'];
    expect(JSON.parse((await pawl(place, ['run', '-c', ...json])).stdout)).toMatchObject({ session: 'alpha' });
    expect(JSON.parse((await pawl(place, ['run', '-r', 'beta', ...json])).stdout)).toMatchObject({ session: 'beta' });
    await pawl(place, ['sessions', 'archive', 'alpha']);
    for (const command of [
      ['run', '-c', ...json],
      ['sessions', 'show', 'latest'],
    ]) {
      const { code, stderr } = await pawl(place, command);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('sessions list --archived') });
    }
  });

  it('goes on with one, with a prompt of its own', async () => {
    const place = makePlace(todoFiles);
    await demo(place, 'mine', 'List the files in src');
    const { code, stdout } = await pawl(place, ['sessions', 'resume', 'mine', 'List the files in lib']);
    expect(code).toBe(0);
    expect(stdout).toContain('c.py');
  });

  it('switches the model on resume, and logs it', async () => {
    const place = makePlace(todoFiles);
    await pawl(place, ['run', '-m', 'demo', '--record', 'cassette', 'List the files in src']);
    await demo(place, 'mine', 'List the files in lib');
    await pawl(place, ['run', '-r', 'mine', '-m', 'replay:cassette', 'List the files in src']);
    const { stdout } = await pawl(place, ['sessions', 'show', 'mine', '--json']);
    expect(JSON.stringify(JSON.parse(stdout).entries)).toContain('The model was switched to replay:cassette');
  });

  it('forks one before a message, whose text comes back', async () => {
    const place = makePlace(todoFiles);
    await demo(place, 'mine', 'List the files in src');
    const { stdout: shown } = await pawl(place, ['sessions', 'show', 'mine', '--json']);
    const first = JSON.parse(shown).entries.find(({ kind }: { kind: string }) => kind === 'user');
    const fork = await pawl(place, ['sessions', 'fork', 'mine', '--before', first.id]);
    expect(fork.code).toBe(0);
    expect(fork.stderr).toContain('List the files in src');
    const id = fork.stdout.trim();
    await pawl(place, ['run', '-r', id, 'List the files in lib']);
    const { stdout: forked } = await pawl(place, ['sessions', 'show', id]);
    expect(forked).toContain('Forked from session mine');
    expect(forked).not.toContain('List the files in src');
    const bad = await pawl(place, ['sessions', 'fork', 'mine', '--before', 'm999']);
    expect(bad.code).toBe(2);
    expect(bad.stderr).toContain('no message m999');
  });

  it('deletes only when told to, and all or none', async () => {
    const place = makePlace(todoFiles);
    await demo(place, 'one', 'List the files in src');
    await demo(place, 'two', 'List the files in src');
    const unasked = await pawl(place, ['sessions', 'delete', 'one']);
    expect(unasked.code).toBe(2);
    expect(unasked.stderr).toContain('--yes');
    expect((await pawl(place, ['sessions', 'delete', 'one', 'nope', '--yes'])).code).toBe(2);
    expect((await pawl(place, ['sessions', 'show', 'one'])).code).toBe(0);
    expect((await pawl(place, ['sessions', 'delete', 'one', 'two', '--yes'])).code).toBe(0);
    expect((await pawl(place, ['sessions', 'show', 'one'])).code).toBe(2);
  });

  it('exports one as Markdown, as a page, and as JSON that loses nothing', async () => {
    const place = makePlace(todoFiles);
    await demo(place, 'mine', 'Find every TODO in this folder and write a report to TODO.md');
    const markdown = await pawl(place, ['sessions', 'export', 'mine']);
    expect(markdown.stdout).toMatch(/^# Find every TODO/);
    expect(markdown.stdout).toContain('```diff');
    const page = join(place.folder, 'out.html');
    expect((await pawl(place, ['sessions', 'export', 'mine', '-o', page])).code).toBe(0);
    expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    expect(statSync(page).mode & 0o077).toBe(0);
    const { stdout } = await pawl(place, ['sessions', 'export', 'mine', '--format', 'json']);
    const exported = JSON.parse(stdout);
    expect(exported).toMatchObject({ format: 'pawl.session', protocolVersion: 1, session: 'mine' });
    for (const event of exported.events) expect(eventSchema.safeParse(event).success).toBe(true);
    const nowhere = await pawl(place, ['sessions', 'export', 'mine', '-o', 'no/such/folder.md']);
    expect(nowhere.code).toBe(2);
    expect(existsSync(join(place.folder, 'no'))).toBe(false);
  });
});
