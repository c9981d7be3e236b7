import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type FileChanges, fileChangesOf } from '@pawl/engine/readers';
import type { DurableEvent, EventBody, JsonObject } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../src/files/disk/entry-operations.ts';
import { parentFolderOf } from '../src/files/disk/operation.ts';
import { planReversal, type ReversalOptions } from '../src/files/undo/reversal.ts';
import { fingerprint } from './fingerprint.ts';
import { createWorkspace, temporaryFolder } from './workspace.ts';

/** A workspace whose calls leave the events that a session would have. */
function createSession() {
  const workspace = createWorkspace();
  const events: DurableEvent[] = [];
  let turn = 0;
  const add = (body: EventBody) => {
    events.push({ seq: events.length + 1, at: 0, session: 's', by: { kind: 'engine', id: 'pawl' }, ...body });
  };
  return {
    ...workspace,
    events,
    begin() {
      turn += 1;
      add({ type: 'turn.started', data: { turn, cause: 'continue' } });
    },
    async call(tool: string, input: JsonObject) {
      const id = `c${events.length}`;
      const effect = 'write' as const;
      add({ type: 'tool.started', data: { call: id, effect } });
      const outcome = await workspace.call(tool, input, { call: id }).catch((error: unknown) => ({
        isError: true,
        content: String(error),
        details: undefined,
      }));
      const status = outcome.isError === true ? ('error' as const) : ('ok' as const);
      const { content, details } = outcome;
      add({ type: 'tool.finished', data: { call: id, status, content, ...(details !== undefined && { details }) } });
      return status;
    },
    changes: (number = turn) => fileChangesOf(events, { turn: number }),
    reverse: (changes: FileChanges, direction: 'undo' | 'redo', allowed: Partial<ReversalOptions> = {}) =>
      planReversal(changes, {
        direction,
        session: 's',
        cwd: workspace.folder,
        blobs: workspace.context().blobs,
        ...allowed,
      }),
  };
}

/** Without times: what was put back is a new file. */
const contents = (folder: string) =>
  Object.fromEntries(Object.entries(fingerprint(folder)).map(([name, print]) => [name, print.replace(/ \d+ /, ' ')]));

describe("T3: undo of a turn's file changes", () => {
  it('leaves what other programs obey to those who say so, in both directions', async () => {
    const { folder, begin, call, changes, reverse } = createSession();
    begin();
    for (const path of ['.git/hooks/pre-commit', 'a']) await call('write', { path, content: 'x' });
    const refused = await reverse(changes(), 'undo');
    expect(refused.blocked).toMatchObject([
      { shown: '.git/hooks/pre-commit', reason: 'is a file that other programs obey', needs: 'allowsObeyed' },
    ]);
    expect(refused.steps).toMatchObject([{ shown: 'a' }]);
    await (await reverse(changes(), 'undo', { allowsObeyed: true })).apply();
    expect(contents(folder)).toEqual({});
    expect((await reverse(changes(), 'redo')).blocked).toMatchObject([{ needs: 'allowsObeyed' }]);
  });

  it('says of a file behind what became a symlink that it leads elsewhere, and touches nothing there', async () => {
    const { folder, begin, call, changes, reverse } = createSession();
    begin();
    await call('write', { path: 'd/a', content: 'x' });
    renameSync(join(folder, 'd'), join(folder, 'moved'));
    symlinkSync('moved', join(folder, 'd'));
    const { steps, blocked } = await reverse(changes(), 'undo');
    expect(steps).toEqual([]);
    expect(blocked).toEqual([{ shown: 'd/a', reason: 'leads elsewhere since it was looked at' }]);
  });

  it('sets the mode of a folder that it brings back, and of nothing that a symlink put in its place leads to', async () => {
    const { folder } = createSession();
    const outside = temporaryFolder();
    const before = statSync(outside).mode;
    const deed = makeFolder({ path: join(folder, 'd'), shown: 'd' }, 0o711, { mark: 'm', isAlone: true });
    await deed.stage();
    rmdirSync(join(folder, 'd'));
    symlinkSync(outside, join(folder, 'd'));
    await expect(deed.clean(true)).rejects.toThrow();
    expect(statSync(outside).mode).toBe(before);
  });

  it('cleans up what an attempt that was killed left beside the files, also of those that it had put back', async () => {
    const { folder, begin, call, changes, reverse } = createSession();
    begin();
    for (const path of ['new/a', 'b']) await call('write', { path, content: 'x' });
    const deeds = ['new/a', 'b'].map((name) =>
      parentFolderOf({ path: join(folder, name), shown: name }, 'reversal\0s'),
    );
    // As it is after the first of them was removed.
    for (const deed of deeds) await deed.open();
    renameSync(join(folder, 'new/a'), deeds[0]?.former() ?? '');
    writeFileSync(deeds[1]?.fresh() ?? '', 'x');
    for (const deed of deeds) await deed.close();
    expect(readdirSync(folder, { recursive: true })).toHaveLength(4);
    const reversal = await reverse(changes(), 'undo');
    expect(reversal).toMatchObject({ done: ['new/a'], steps: [{ shown: 'b' }] });
    await reversal.apply();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('puts back contents, modes, moves, deleted trees and links, and removes what came, with its folders', async () => {
    const { folder, begin, call, changes, reverse } = createSession();
    mkdirSync(join(folder, 'tree/inner'), { recursive: true });
    writeFileSync(join(folder, 'a'), 'one\n');
    writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(folder, 'run.sh'), 0o750);
    writeFileSync(join(folder, 'tree/inner/x'), Buffer.from([0, 1, 2, 255]));
    chmodSync(join(folder, 'tree/inner/x'), 0o600);
    symlinkSync('inner/x', join(folder, 'tree/link'));
    chmodSync(join(folder, 'tree/inner'), 0o700);
    const before = contents(folder);
    begin();
    await call('read', { path: 'a' });
    await call('edit', { path: 'a', old: 'one', new: 'two' });
    await call('edit', { path: 'a', old: 'two', new: 'three' });
    await call('write', { path: 'new/deep/b', content: 'b' });
    await call('patch', {
      patch: '*** Begin Patch\n*** Update File: run.sh\n*** Move to: bin/run.sh\n*** End Patch',
    });
    await call('delete', { path: 'tree', recursive: true });
    const after = contents(folder);
    expect(Object.keys(after)).toEqual(['a', 'bin', 'bin/run.sh', 'new', 'new/deep', 'new/deep/b']);

    const undo = await reverse(changes(), 'undo');
    expect(undo.blocked).toEqual([]);
    expect((await undo.preview()).text).toContain('-three\n+one');
    expect(contents(folder)).toEqual(after);
    expect(await undo.apply()).toEqual([]);
    expect(contents(folder)).toEqual(before);
    expect(lstatSync(join(folder, 'tree/link')).isSymbolicLink()).toBe(true);
    expect(statSync(join(folder, 'run.sh')).mode & 0o777).toBe(0o750);

    const again = await reverse(changes(), 'undo');
    expect(again).toMatchObject({ steps: [], blocked: [] });
    const redo = await reverse(changes(), 'redo');
    expect(redo.blocked).toEqual([]);
    await redo.apply();
    expect(contents(folder)).toEqual(after);
  });

  it.each(['other', 'same'])(
    'gives a file that was deleted and made again its mode back, with %s content',
    async (text) => {
      const { folder, begin, call, changes, reverse } = createSession();
      const path = join(folder, 'run.sh');
      writeFileSync(path, 'same');
      chmodSync(path, 0o755);
      begin();
      await call('delete', { path: 'run.sh' });
      await call('write', { path: 'run.sh', content: text });
      expect(statSync(path).mode & 0o777).toBe(0o644);
      await (await reverse(changes(), 'undo')).apply();
      expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['same', 0o755]);
      await (await reverse(changes(), 'redo')).apply();
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it('touches nothing that was changed since, and says which', async () => {
    const { folder, begin, call, changes, reverse } = createSession();
    writeFileSync(join(folder, 'a'), 'one\n');
    begin();
    await call('write', { path: 'a', content: 'two\n' });
    await call('write', { path: 'b', content: 'b\n' });
    await call('write', { path: 'c', content: 'c\n' });
    await call('write', { path: 'd', content: 'd\n' });
    writeFileSync(join(folder, 'a'), 'by a person\n');
    rmSync(join(folder, 'b'));
    mkdirSync(join(folder, 'b'));
    rmSync(join(folder, 'c'));
    symlinkSync('/etc/hostname', join(folder, 'c'));
    const undo = await reverse(changes(), 'undo');
    expect(undo.blocked).toEqual([
      { shown: 'a', reason: 'was changed since' },
      { shown: 'b', reason: 'was changed since' },
      { shown: 'c', reason: 'was changed since' },
    ]);
    expect(undo.steps).toEqual([{ shown: 'd', deed: 'removed' }]);
    await undo.apply();
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('by a person\n');
    expect(existsSync(join(folder, 'd'))).toBe(false);
  });

  it('does not undo what a command or a person did between two changes of the session', async () => {
    const { folder, begin, call, changes, reverse } = createSession();
    begin();
    await call('write', { path: 'a', content: 'one\n' });
    writeFileSync(join(folder, 'a'), 'formatted\n');
    await call('read', { path: 'a' });
    await call('edit', { path: 'a', old: 'formatted', new: 'two' });
    const undo = await reverse(changes(), 'undo');
    expect(undo.steps).toEqual([]);
    expect(undo.blocked).toEqual([
      { shown: 'a', reason: 'was changed by something else between the changes of the session' },
    ]);
  });

  it('is refused whole when something changes while it is done', async () => {
    const { folder, begin, call, changes, reverse } = createSession();
    begin();
    for (const name of ['a', 'b', 'c']) await call('write', { path: name, content: name });
    const undo = await reverse(changes(), 'undo');
    writeFileSync(join(folder, 'c'), 'meanwhile');
    const before = fingerprint(folder);
    await expect(undo.apply()).rejects.toMatchObject({ code: 'outdated' });
    expect(fingerprint(folder)).toEqual(before);
  });

  it('does not leave the folder of the session, nor go through a symlink that was put into its way', async () => {
    const { folder, begin, call, changes, reverse } = createSession();
    const outside = temporaryFolder();
    begin();
    await call('write', { path: join(outside, 'x'), content: 'x' });
    await call('write', { path: 'd/y', content: 'y' });
    rmSync(join(folder, 'd'), { recursive: true });
    symlinkSync(outside, join(folder, 'd'));
    writeFileSync(join(outside, 'y'), 'y');
    const undo = await reverse(changes(), 'undo');
    expect(undo.steps).toEqual([]);
    expect(undo.blocked).toMatchObject([{ reason: "lies outside of the session's folder" }, { shown: 'd/y' }]);
    const allowed = await reverse(changes(), 'undo', { allowsOutside: true });
    expect(allowed.steps).toEqual([{ shown: join(outside, 'x'), deed: 'removed' }]);
    await allowed.apply();
    expect(existsSync(join(outside, 'x'))).toBe(false);
    expect(readFileSync(join(outside, 'y'), 'utf8')).toBe('y');
  });

  it('says what cannot come back: what was too large to keep, and contents that are lost', async () => {
    const { folder, begin, call, changes, reverse, blobs } = createSession();
    writeFileSync(join(folder, 'large'), Buffer.alloc(11_000_000));
    writeFileSync(join(folder, 'a'), 'one');
    begin();
    await call('delete', { path: 'large' });
    await call('write', { path: 'a', content: 'two' });
    blobs.clear();
    const undo = await reverse(changes(), 'undo');
    expect(undo.blocked).toEqual([
      { shown: 'large', reason: 'cannot be put back: its 11.0 MB were too large to be kept' },
      { shown: 'a', reason: 'cannot be put back: its former content is lost' },
    ]);
  });

  it('returns any folder to what it was, turn by turn, and forth again, whatever the session did', async () => {
    const path = fc.constantFrom('a', 'b', 'd/a', 'd/e/b');
    const text = fc.stringMatching(/^[xyz\n]{0,6}$/);
    const deed = fc.oneof(
      fc.record({ tool: fc.constant('write'), path, content: text }),
      fc.record({ tool: fc.constant('delete'), path: fc.oneof(path, fc.constant('d')), recursive: fc.constant(true) }),
      fc.tuple(path, path).map(([from, to]) => ({
        tool: 'patch',
        patch: `*** Begin Patch\n*** Update File: ${from}\n*** Move to: ${to}\n*** End Patch`,
      })),
      fc.record({ tool: fc.constant('edit'), path, old: fc.constantFrom('x', 'y'), new: text, all: fc.constant(true) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(deed, { maxLength: 5 }), { minLength: 1, maxLength: 3 }), async (turns) => {
        const { folder, begin, call, changes, reverse } = createSession();
        const states = [contents(folder)];
        for (const deeds of turns) {
          begin();
          for (const { tool, ...input } of deeds) await call(tool, input);
          states.push(contents(folder));
        }
        const filesOnly = (state: { [path: string]: string } | undefined) =>
          Object.fromEntries(Object.entries(state ?? {}).filter(([, print]) => !print.endsWith(' ')));
        for (let turn = turns.length; turn >= 1; turn--) {
          const undo = await reverse(changes(turn), 'undo');
          expect(undo.blocked).toEqual([]);
          await undo.apply();
          expect(filesOnly(contents(folder))).toEqual(filesOnly(states[turn - 1]));
        }
        for (let turn = 1; turn <= turns.length; turn++) {
          const redo = await reverse(changes(turn), 'redo');
          expect(redo.blocked).toEqual([]);
          await redo.apply();
          expect(filesOnly(contents(folder))).toEqual(filesOnly(states[turn]));
        }
      }),
      { numRuns: 60 },
    );
  });
});
