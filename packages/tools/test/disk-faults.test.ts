import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolContext } from '@pawl/engine';
import { describe, expect, it } from 'vitest';
import { fingerprint } from './fingerprint.ts';
import { createWorkspace, temporaryFolder, type Workspace } from './workspace.ts';

const program = fileURLToPath(new URL('./faulty-disk.ts', import.meta.url));
const envelope = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const updates = (...names: string[]) =>
  envelope(...names.flatMap((name) => [`*** Update File: ${name}`, '-one', '+two']));

/** Something that happens after a change was judged and looked at, and before it is made. */
function meanwhile({ context }: Workspace, happen: () => void): Partial<ToolContext> {
  const { blobs } = context();
  let hasHappened = false;
  return {
    blobs: {
      get: blobs.get,
      put(bytes) {
        if (!hasHappened) happen();
        hasHappened = true;
        return blobs.put(bytes);
      },
    },
  };
}

describe('P9: what comes between judging and changing', () => {
  it.each([
    ['its content', (file: string) => writeFileSync(file, 'six\n')],
    ['its content, in the same size', (file: string) => writeFileSync(file, 'ONE\n')],
    ['its existence', (file: string) => unlinkSync(file)],
    [
      'its kind, to a folder',
      (file: string) => {
        unlinkSync(file);
        mkdirSync(file);
      },
    ],
    [
      'its place, through a symlink at its name',
      (file: string) => {
        unlinkSync(file);
        symlinkSync('/etc/hostname', file);
      },
    ],
    [
      'its place, through a symlink at its folder',
      (file: string) => {
        const folder = join(file, '..');
        const outside = temporaryFolder();
        writeFileSync(join(outside, 'b'), 'one\n');
        renameSync(folder, `${folder}-old`);
        symlinkSync(outside, folder);
      },
    ],
  ])('changes %s: nothing is written, there or anywhere', async (_, happen) => {
    for (const tool of ['edit', 'multi_edit', 'write', 'patch', 'delete'] as const) {
      const workspace = createWorkspace();
      const { folder, call } = workspace;
      mkdirSync(join(folder, 'd'));
      for (const name of ['a', 'd/b', 'z']) writeFileSync(join(folder, name), 'one\n');
      await call('read', { path: 'd/b' });
      const inputs = {
        edit: { path: 'd/b', old: 'one', new: 'two' },
        multi_edit: { path: 'd/b', edits: [{ old: 'one', new: 'two' }] },
        write: { path: 'd/b', content: 'two\n' },
        patch: { patch: updates('a', 'd/b', 'z') },
        delete: { path: 'd/b' },
      };
      let then: object = {};
      const changes = meanwhile(workspace, () => {
        happen(join(folder, 'd/b'));
        then = fingerprint(folder);
      });
      const failure = await call(tool, inputs[tool], changes).catch((error: unknown) => error);
      expect([tool, (failure as { code: string }).code]).toEqual([
        tool,
        expect.stringMatching(/outdated|not_found|no_permission|not_folder|is_folder/),
      ]);
      expect([tool, fingerprint(folder)]).toEqual([tool, then]);
    }
  });

  it('reads nothing from where a symlink leads that was put there since', async () => {
    const { folder, plan, tool, context } = createWorkspace();
    mkdirSync(join(folder, 'd'));
    writeFileSync(join(folder, 'd/hostname'), 'x');
    for (const [name, input] of [
      ['read', { path: 'd/hostname' }],
      ['list', { path: 'd' }],
      ['glob', { path: 'd', pattern: '*' }],
      ['grep', { path: 'd', pattern: '.' }],
    ] as const) {
      const { paths } = await plan(name, input);
      renameSync(join(folder, 'd'), join(folder, 'old'));
      symlinkSync('/etc', join(folder, 'd'));
      await expect(tool(name).run(input, context({ paths }))).rejects.toMatchObject({ code: 'outdated' });
      unlinkSync(join(folder, 'd'));
      renameSync(join(folder, 'old'), join(folder, 'd'));
    }
  });
});

/** Swaps two names of a folder, again and again as fast as it can, also when the folder itself gets another name. */
async function swapping(folder: string, one: string, other: string, work: () => Promise<void>): Promise<void> {
  const source = `
    const { renameSync } = require('node:fs');
    process.stdout.write('ready');
    for (;;) for (const [from, to] of [['${one}', '.aside'], ['${other}', '${one}'], ['.aside', '${other}']]) {
      try { renameSync(from, to); } catch {}
    }`;
  const swapper = spawn(process.execPath, ['-e', source], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(swapper.stdout, 'data');
    await work();
  } finally {
    swapper.kill('SIGKILL');
    await once(swapper, 'close');
  }
}

describe('P9: several programs that edit one file at the same moment', () => {
  it('lose no edit of each other', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'count'), '0\n');
    const program = fileURLToPath(new URL('./count-up.ts', import.meta.url));
    const counters = [1, 2, 3].map(() => spawn(process.execPath, [program, folder, '150'], { stdio: 'inherit' }));
    await Promise.all(counters.map((counter) => once(counter, 'close')));
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('450\n');
    expect(readdirSync(folder)).toEqual(['count']);
  });
});

describe('P9: a program that swaps a folder for a symlink as fast as it can', () => {
  it.each(['list', 'glob', 'grep', 'read'])('shows %s nothing of where the symlink leads', async (name) => {
    const { folder, plan, tool, context } = createWorkspace();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'file'), 'SECRET\n');
    writeFileSync(join(outside, 'SECRET'), '');
    mkdirSync(join(folder, 'd'));
    writeFileSync(join(folder, 'd/file'), 'plain\n');
    symlinkSync(outside, join(folder, 'link'));
    const input = {
      path: name === 'read' ? 'd/file' : 'd',
      ...(name !== 'read' && { pattern: name === 'grep' ? '.' : '*' }),
    };
    const answers = new Set<string>();
    await swapping(folder, 'd', 'link', async () => {
      for (let round = 0; round < 150; round++) {
        try {
          const { paths } = await plan(name, input);
          // The question would name the place outside.
          if (!paths.every((path) => path.startsWith(`${folder}/`))) continue;
          answers.add((await tool(name).run(input, context({ paths }))).content);
        } catch (error) {
          expect((error as { code: string }).code).toMatch(/outdated|not_folder|not_found|search_failed|is_folder/);
        }
      }
    });
    expect([...answers].filter((answer) => answer.includes('SECRET'))).toEqual([]);
  });

  it('has delete touch nothing there, and leaves no handle open', async () => {
    const { folder, call } = createWorkspace();
    const outside = temporaryFolder();
    for (let round = 0; round < 40; round++) {
      mkdirSync(join(folder, 'tree/sub'), { recursive: true });
      for (let file = 0; file < 20; file++) {
        writeFileSync(join(folder, `tree/sub/${file}`), 'x');
        writeFileSync(join(outside, `${file}`), 'PRECIOUS');
      }
      symlinkSync(outside, join(folder, 'tree/link'));
      await swapping(join(folder, 'tree'), 'sub', 'link', async () => {
        for (let attempt = 0; attempt < 6; attempt++) {
          await call('delete', { path: 'tree', recursive: true }).catch(() => undefined);
        }
      });
      expect(readdirSync(outside)).toHaveLength(20);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
    }
    const handles = process.platform === 'linux' ? readdirSync('/proc/self/fd').map((fd) => `/proc/self/fd/${fd}`) : [];
    const places = handles.flatMap((fd) => {
      try {
        return [readlinkSync(fd)];
      } catch {
        return [];
      }
    });
    expect(places.filter((place) => place.startsWith(folder))).toEqual([]);
  });
});

describe('T3: a disk that fails', () => {
  it('leaves every file as it was, wherever it fails in a change of several', () => {
    const folder = join(temporaryFolder(), 'work');
    const store = temporaryFolder();
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, 'fail', folder, store], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const runs = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(runs.length).toBeGreaterThan(60);
    expect(runs.at(-1)).toMatchObject({ failure: null, isDone: true });
    for (const run of runs) {
      // What failed only while tidying up after it was done is told, and done all the same.
      const isWhole = run.failure === null ? run.isDone : run.isBefore;
      if (!isWhole) throw new Error(JSON.stringify(run));
    }
  });

  it('and a kill -9 anywhere leaves what the next start can tell, and take back or leave', async () => {
    const outcomes = new Set<string>();
    for (let at = 22; ; at += 9) {
      const { folder, plan, tool, context, blobs } = createWorkspace();
      const store = temporaryFolder();
      for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(folder, name), 'one\n');
      const before = fingerprint(folder);
      const { faultyPatch } = await import('./faulty-disk.ts');
      const input = { patch: faultyPatch };
      const { evidence = null } = (await plan('patch', input)).plan;
      const { signal, stdout } = spawnSync(process.execPath, [program, 'kill', folder, store, String(at)], {
        encoding: 'utf8',
      });
      for (const name of readdirSync(store)) blobs.set(name, readFileSync(join(store, name)));
      const found = await tool('patch').reconcile?.(input, evidence, context());
      const leftovers = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.includes('.pawl-'),
      );
      expect({ at, leftovers }).toEqual({ at, leftovers: [] });
      if (found === 'not_done') {
        outcomes.add('not_done');
        const contents = ['a', 'b', 'c', 'd'].map((name) => readFileSync(join(folder, name), 'utf8'));
        expect({ at, contents }).toEqual({ at, contents: ['one\n', 'one\n', 'one\n', 'one\n'] });
        expect([existsSync(join(folder, 'new')), existsSync(join(folder, 'deep'))]).toEqual([false, false]);
        expect(Object.keys(fingerprint(folder))).toEqual(expect.arrayContaining(Object.keys(before)));
      } else {
        outcomes.add('done');
        expect(found).toMatchObject({
          content: expect.stringContaining('All 6 changes were made'),
          details: { folders: ['deep', 'deep/er', 'new'].map((name) => join(folder, name)) },
        });
        expect(readFileSync(join(folder, 'deep/er/b'), 'utf8')).toBe('two\n');
      }
      if (signal === null) {
        expect(stdout).toContain('"isDone":true');
        break;
      }
    }
    expect(outcomes).toEqual(new Set(['not_done', 'done']));
  });

  it.each([
    [
      'rmdir',
      "async (path) => { if (path.endsWith('.old')) throw Object.assign(new Error('EBUSY: busy'), { code: 'EBUSY' }); return real(path); }",
      /^Deleted tree with 1 entries\. What was in it could not all be removed and lies in \.pawl-\w+\.old: EBUSY: busy$/,
    ],
    [
      'rename',
      "async (from, to) => { await real(from, to); fs.writeFileSync(to + '/more', ''); fs.mkdirSync('tree'); }",
      /^half_done tree is not as it was .* What was there lies in \.pawl-\w+\.old, and could not get its name back\.$/,
    ],
  ])('leaves no doubt about where a tree lies that delete could not remove or put back (%s)', (name, faulty, said) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'tree'));
    writeFileSync(join(folder, 'tree/a'), 'x');
    const source = `
      import fs from 'node:fs';
      import promises from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      const real = promises.${name};
      promises.${name} = ${faulty};
      syncBuiltinESMExports();
      const { deleteTool } = await import(${JSON.stringify(new URL('../src/files/delete.ts', import.meta.url).href)});
      const { withDefaults } = await import(${JSON.stringify(new URL('../src/options.ts', import.meta.url).href)});
      const context = { session: 's', cwd: process.cwd(), call: 'c', signal: new AbortController().signal,
        blobs: { put: async () => '', get: async () => null }, lastSeen: () => null, paths: [], basis: null };
      await deleteTool(withDefaults()).run({ path: 'tree', recursive: true }, context).then(
        ({ content }) => console.log(content), (error) => console.log(error.code, error.message));
    `;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout.trim()).toMatch(said);
    const [aside = ''] = readdirSync(folder).filter((each) => each.endsWith('.old'));
    expect(stdout).toContain(aside);
  });

  it('that is a folder nobody may write to', () => {
    const folder = temporaryFolder();
    chmodSync(join(folder, '..'), 0o1777);
    mkdirSync(join(folder, 'd'));
    for (const name of ['a', 'd/b', 'z']) writeFileSync(join(folder, name), 'one\n');
    for (const name of ['a', 'd/b', 'z']) chmodSync(join(folder, name), 0o666);
    chmodSync(folder, 0o777);
    chmodSync(join(folder, 'd'), 0o555);
    const before = fingerprint(folder);
    // As somebody without root's rights.
    const source = `
      if (process.getuid() === 0) process.setuid(65534);
      const { patchTool } = await import(${JSON.stringify(new URL('../src/files/patch.ts', import.meta.url).href)});
      const { withDefaults } = await import(${JSON.stringify(new URL('../src/options.ts', import.meta.url).href)});
      const context = { session: 's', cwd: ${JSON.stringify(folder)}, call: 'c', signal: new AbortController().signal,
        blobs: { put: async () => '', get: async () => null }, lastSeen: () => null, paths: [], basis: null };
      await patchTool(withDefaults()).run({ patch: ${JSON.stringify(updates('a', 'd/b', 'z'))} }, context).then(
        () => console.log('done'), (error) => console.log(error.code, error.message));
    `;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
    chmodSync(join(folder, 'd'), 0o755);
    expect(stdout.trim()).toBe('no_permission d/b may not be accessed: permission denied. Nothing was changed.');
    chmodSync(join(folder, 'd'), 0o555);
    expect(fingerprint(folder)).toEqual(before);
    chmodSync(join(folder, 'd'), 0o755);
  });

  it('that is full in the middle of several files', async (test) => {
    const disk = join(temporaryFolder(), 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk], { stdio: 'ignore' });
    } catch {
      test.skip('this user may not mount a disk');
      return;
    }
    try {
      const { folder, call } = createWorkspace({}, disk);
      for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), 'one\n');
      const before = fingerprint(folder);
      const large = Array.from({ length: 2000 }, () => '+0123456789');
      const patch = envelope(...['a', 'b', 'c'].flatMap((name) => [`*** Update File: ${name}`, ' one', ...large]));
      await expect(call('patch', { patch })).rejects.toMatchObject({ code: 'disk_full' });
      expect(fingerprint(folder)).toEqual(before);
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it('has no room for a large file, which is refused by its size and not read', async () => {
    const { folder, call } = createWorkspace();
    const file = join(folder, 'huge');
    execFileSync('truncate', ['-s', '1G', file]);
    const before = process.memoryUsage.rss();
    for (const [tool, input] of [
      ['read', {}],
      ['edit', { old: 'a', new: 'b' }],
      ['write', { content: 'x' }],
    ] as const) {
      await expect(call(tool, { path: 'huge', ...input })).rejects.toThrow(/huge has 1073\.7 MB; files over 10\.0 MB/);
    }
    await expect(call('patch', { patch: updates('huge') })).rejects.toMatchObject({ code: 'too_large' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
    const outcome = await call('delete', { path: 'huge' });
    expect(outcome.details?.before?.[file]).toMatchObject({ kind: 'lost' });
  });
});
