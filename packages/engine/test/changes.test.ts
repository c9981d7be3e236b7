import type { DurableEvent, EventBody, JsonObject, ToolStatus } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { noUsage } from '../src/core/spending/usage.ts';
import { fileChangesOf, undoStackOf } from '../src/readers/index.ts';

const digest = (letter: string) => `sha256-${letter.repeat(64)}`;
const file = (letter: string) => ({ kind: 'file', digest: digest(letter), mode: 0o644 });

/** A log of calls, each with its turn, what the call was, and what it left. */
function logOf(
  calls: readonly {
    turn: number;
    tool: string;
    input?: JsonObject;
    effect?: 'read' | 'write' | 'external';
    status?: ToolStatus;
    details?: JsonObject;
  }[],
): DurableEvent[] {
  const bodies = calls.flatMap(
    ({ turn, tool, input = {}, effect = 'write', status = 'ok', details }, index): EventBody[] => [
      { type: 'turn.started', data: { turn, cause: 'continue' } },
      {
        type: 'message.added',
        data: {
          message: {
            role: 'assistant',
            content: [{ type: 'tool_call', id: `c${index}`, tool, input }],
            model: 'm',
            stopReason: 'tool_calls',
            usage: noUsage,
            costUsd: 0,
          },
        },
      },
      { type: 'tool.started', data: { call: `c${index}`, effect } },
      {
        type: 'tool.finished',
        data: { call: `c${index}`, status, content: '', ...(details !== undefined && { details }) },
      },
    ],
  );
  return bodies.map((body, index) => ({
    seq: index + 1,
    at: 0,
    session: 's',
    by: { kind: 'engine', id: 'pawl' },
    ...body,
  }));
}

const change = (path: string, before: JsonObject | null, after: string | null): JsonObject => ({
  files: { [path]: after === null ? null : digest(after) },
  before: { [path]: before },
});

describe('S1: file changes in the log', () => {
  it('are taken together by path: what stood there first, and what was left last', () => {
    const events = logOf([
      { turn: 1, tool: 'write', details: change('/w/a', null, 'a') },
      { turn: 2, tool: 'edit', details: change('/w/a', file('a'), 'b') },
      {
        turn: 2,
        tool: 'write',
        details: { ...change('/w/n', null, 'n'), folders: ['/w/d'], modes: { '/w/n': 0o755 } },
      },
      { turn: 2, tool: 'edit', details: change('/w/a', file('b'), 'c') },
      { turn: 3, tool: 'read', effect: 'read', details: { files: { '/w/a': digest('c') } } },
    ]);
    expect(fileChangesOf(events).turns).toEqual([1, 2]);
    expect(fileChangesOf(events, { turn: 2 })).toMatchObject({
      turns: [2],
      changes: [
        {
          ...{ path: '/w/a', before: file('a'), after: digest('c'), mode: null, isTangled: false },
          steps: [
            { before: file('a'), after: digest('b') },
            { before: file('b'), after: digest('c') },
          ],
        },
        { path: '/w/n', before: null, after: digest('n'), mode: 0o755, isTangled: false },
      ],
      madeFolders: ['/w/d'],
      blindCalls: [],
    });
    expect(fileChangesOf(events).changes[0]).toMatchObject({ before: null, after: digest('c') });
    expect(fileChangesOf(events, { afterSeq: 8 }).changes).toMatchObject([
      { path: '/w/n' },
      { path: '/w/a', before: file('b') },
    ]);
  });

  it('are tangled where something else changed the file in between', () => {
    const events = logOf([
      { turn: 1, tool: 'write', details: change('/w/a', null, 'a') },
      { turn: 1, tool: 'edit', details: change('/w/a', file('x'), 'b') },
      { turn: 1, tool: 'write', details: change('/w/b', file('a'), null) },
      { turn: 1, tool: 'write', details: change('/w/b', null, 'a') },
    ]);
    expect(fileChangesOf(events).changes).toMatchObject([{ isTangled: true }, { isTangled: false }]);
  });

  it('are not tangled by a folder that a call made and another one removed', () => {
    const folder = { kind: 'folder', mode: 0o755 } as const;
    const removed = { before: { '/w/d': folder }, files: { '/w/d': null } };
    const made = { ...change('/w/d/a', null, 'a'), folders: ['/w/d'] };
    const calls = [removed, made, removed].map((details) => ({ turn: 1, tool: 'write', details }));
    expect(fileChangesOf(logOf(calls)).changes[0]).toMatchObject({ before: folder, after: null, isTangled: false });
    expect(fileChangesOf(logOf(calls.slice(1))).changes[1]).toMatchObject({ before: null, after: null });
    const others = [...calls, calls[2] ?? { turn: 1, tool: 'delete', details: removed }];
    expect(fileChangesOf(logOf(others)).changes[0]).toMatchObject({ isTangled: true });
  });

  it('name the calls whose doings nobody knows, and no others', () => {
    const events = logOf([
      { turn: 1, tool: 'bash', input: { command: 'make' }, effect: 'external' },
      { turn: 1, tool: 'bash', input: { command: 'ls' }, effect: 'read' },
      { turn: 1, tool: 'edit', status: 'error' },
      { turn: 1, tool: 'edit', input: { path: 'a' }, status: 'unknown' },
      { turn: 1, tool: 'write', details: change('/w/a', null, 'a') },
      { turn: 2, tool: 'mcp__x__y', effect: 'external', status: 'error' },
    ]);
    expect(fileChangesOf(events, { turn: 1 }).blindCalls).toEqual([
      { tool: 'bash', argument: 'make', status: 'ok' },
      { tool: 'edit', argument: 'a', status: 'unknown' },
    ]);
    expect(fileChangesOf(events).blindCalls).toHaveLength(3);
  });

  it('are not known of a command that failed or was stopped, which may have changed something first', () => {
    const command = { turn: 1, tool: 'bash', input: { command: 'echo a > a; false' } };
    const events = logOf([
      { ...command, status: 'error', details: { exitCode: 1 } },
      // Ended by a signal, it has none.
      { ...command, status: 'error', details: { exitCode: null, endedBy: 'SIGSEGV' } },
      { ...command, status: 'cancelled' },
      { ...command, status: 'out_of_time' },
      // What could not even begin, and an edit that was refused, changed nothing.
      { ...command, status: 'error' },
      { turn: 1, tool: 'edit', input: { path: 'a' }, status: 'error', details: { reason: 'stale' } },
    ]);
    const statuses = fileChangesOf(events).blindCalls.map(({ status }) => status);
    expect(statuses).toEqual(['error', 'error', 'cancelled', 'out_of_time']);
  });

  it('that are written in no way this version knows are left alone', () => {
    for (const before of [{ kind: 'moon' }, 'text', { kind: 'file' }] as const) {
      const events = logOf([
        { turn: 1, tool: 'x', details: { before: { '/a': before }, files: { '/a': digest('a') } } },
      ]);
      expect(fileChangesOf(events).changes).toEqual([]);
    }
  });

  it('do not count where they were undone, unless they were done again', () => {
    const path = '/w/a';
    const edits = [
      { turn: 1, tool: 'edit', details: change(path, file('a'), 'b') },
      { turn: 2, tool: 'edit', details: change(path, file('b'), 'c') },
    ];
    const put = (direction: 'undo' | 'redo', letter: string): EventBody => ({
      type: 'files.reverted',
      data: { direction, files: { [path]: digest(letter), '/w/unknown': null } },
    });
    const logWith = (...later: EventBody[]) => {
      const events = [...logOf(edits)];
      for (const body of later) {
        events.push({ seq: events.length + 1, at: 0, session: 's', by: { kind: 'human', id: 'ann' }, ...body });
      }
      return events;
    };
    const found = (events: DurableEvent[]) =>
      fileChangesOf(events).changes.map(({ steps, ...rest }) => [rest.after, steps.length, rest.isTangled]);
    expect(found(logWith())).toEqual([[digest('c'), 2, false]]);
    expect(found(logWith(put('undo', 'b')))).toEqual([[digest('b'), 1, false]]);
    expect(found(logWith(put('undo', 'b'), put('undo', 'a')))).toEqual([[digest('a'), 0, false]]);
    expect(found(logWith(put('undo', 'a'), put('redo', 'b')))).toEqual([[digest('b'), 1, false]]);
    expect(found(logWith(put('undo', 'a'), put('redo', 'c')))).toEqual([[digest('c'), 2, false]]);

    const [, , , , , , , finished] = logOf([
      ...edits.slice(1),
      { turn: 3, tool: 'edit', details: change(path, file('a'), 'd') },
    ]);
    const onward = logWith(put('undo', 'a'), ...(finished === undefined ? [] : [finished]));
    expect(found(onward)).toEqual([[digest('d'), 1, false]]);
    // A turn is what it was, so that it can be done again.
    expect(fileChangesOf(onward, { turn: 1 }).changes).toMatchObject([{ after: digest('b') }]);
  });

  it('of tasks belong to the turn that asked for them, each time that it did, and go by time', () => {
    type Line = [at: number, type: string, data: JsonObject];
    const log = (session: string, lines: readonly Line[]) =>
      lines.map(
        ([at, type, data], index) =>
          ({ seq: index + 1, at, session, by: { kind: 'engine', id: 'e' }, type, data }) as unknown as DurableEvent,
      );
    const edit = (at: number, before: string, after: string): Line => [
      at,
      'tool.finished',
      { call: 'c1', status: 'ok', content: '', details: change('/w/a', file(before), after) },
    ];
    const owner = log('s', [
      [1, 'turn.started', { turn: 1, cause: 'continue' }],
      [2, 'task.requested', { task: 't', session: 's.t' }],
      [6, 'turn.started', { turn: 2, cause: 'continue' }],
      edit(7, 'c', 'd'),
      [8, 'task.reopened', { task: 't', instance: 2, reason: '' }],
    ]);
    const child = log('s.t', [
      [3, 'task.assigned', { instance: 1 }],
      [3, 'turn.started', { turn: 1, cause: 'task' }],
      edit(4, 'a', 'b'),
      [4, 'task.requested', { task: 'u', session: 's.t.u' }],
      [8, 'task.assigned', { instance: 2 }],
      [8, 'turn.started', { turn: 2, cause: 'task' }],
      edit(9, 'd', 'e'),
      // Another owner's, as after a fork.
      [9, 'task.assigned', { instance: 3 }],
      edit(10, 'e', 'f'),
    ]);
    const tasks = new Map([
      ['s.t', child],
      ['s.t.u', log('s.t.u', [[5, 'task.assigned', { instance: 1 }], edit(5, 'b', 'c')])],
    ]);
    const found = (range: { turn?: number; afterSeq?: number }) =>
      fileChangesOf(owner, { ...range, tasks }).changes.map(({ before, after, isTangled }) => [
        before,
        after,
        isTangled,
      ]);
    expect(fileChangesOf(owner, { tasks }).turns).toEqual([1, 2]);
    expect(found({ turn: 1 })).toEqual([[file('a'), digest('c'), false]]);
    expect(found({ turn: 2 })).toEqual([[file('c'), digest('e'), false]]);
    expect(found({})).toEqual([[file('a'), digest('e'), false]]);
    expect(found({ afterSeq: 2 })).toEqual([[file('c'), digest('e'), false]]);
    expect(fileChangesOf(owner).changes).toMatchObject([{ after: digest('d') }]);
  });
});

describe('S1: what undo and redo go through (D10)', () => {
  const reverted = (direction: 'undo' | 'redo', files: { [path: string]: string | null }): DurableEvent => ({
    seq: 0,
    at: 0,
    session: 's',
    by: { kind: 'human', id: 'local' },
    type: 'files.reverted',
    data: { direction, files },
  });
  const stackAfter = (...events: DurableEvent[]) =>
    undoStackOf(
      events.map((event, index) => ({ ...event, seq: index + 1 })),
      new Map(),
    );
  const write = (turn: number, before: string, after: string) =>
    logOf([{ turn, tool: 'edit', details: change('/w/a', file(before), after) }]);
  const toA = reverted('undo', { '/w/a': digest('a') });
  const toB = reverted('undo', { '/w/a': digest('b') });
  const work = [...write(1, 'a', 'b'), ...write(2, 'b', 'c')];

  it('is by turn where several turns changed one file', () => {
    expect(stackAfter(...work)).toEqual({ standing: [1, 2], undone: [] });
    expect(stackAfter(...work, toB)).toEqual({ standing: [1], undone: [2] });
    expect(stackAfter(...work, toB, toA)).toEqual({ standing: [], undone: [2, 1] });
    const again = reverted('redo', { '/w/a': digest('b') });
    expect(stackAfter(...work, toB, toA, again)).toEqual({ standing: [1], undone: [2] });
  });

  it('has the earliest of what was undone at once as the first to be done again', () => {
    expect(stackAfter(...work, toA)).toEqual({ standing: [], undone: [2, 1] });
  });

  it('has nothing to do again after a new change', () => {
    expect(stackAfter(...work, toB, ...write(3, 'b', 'd'))).toEqual({ standing: [1, 3], undone: [] });
  });
});
