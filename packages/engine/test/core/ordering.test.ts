import { expect, it } from 'vitest';
import { call, withCalls } from './support.ts';

const ids = ['t1_s1_c1', 't1_s1_c2', 't1_s1_c3'] as const;
const write = (path: string) => ({ effect: 'write' as const, paths: [path] });

it('E8: reads run together', () => {
  const session = withCalls([call(), call(), call()]);
  for (const id of ids) session.judge(id, { paths: ['/w/a'] });
  expect(session.due()).toEqual(ids.map((id) => `tool:${id}:1 run`));
});

it('E8: results stand in the order of the calls, however they come in', () => {
  const session = withCalls([call(), call(), call()]);
  for (const id of ids) session.judge(id);
  for (const id of ids.toReversed()) session.finish(id);
  expect(session.results().map((result) => result.call)).toEqual(ids);
});

it('E8: writes to other paths run together, writes to one path one after another', () => {
  const session = withCalls([call(), call(), call()]);
  session.judge(ids[0], write('/w/a'));
  session.judge(ids[1], write('/w/b'));
  session.judge(ids[2], write('/w/a'));
  expect(session.due()).toEqual([`tool:${ids[0]}:1 run`, `tool:${ids[1]}:1 run`]);
  expect(session.last('tool.deferred')).toMatchObject({ call: ids[2], behind: [ids[0]] });
});

it('E8: a write that had to wait is judged again, against what the one before left', () => {
  const session = withCalls([call(), call()]);
  session.judge(ids[0], write('/w/a'));
  session.judge(ids[1], write('/w/a'));
  session.finish(ids[0]);
  expect(session.due()).toEqual([`judge:${ids[1]}:2`]);
});

it('E8: a folder and what is in it are one path', () => {
  const session = withCalls([call(), call(), call()]);
  session.judge(ids[0], write('/w'));
  session.judge(ids[1], write('/w/a/b'));
  session.judge(ids[2], write('/web'));
  expect(session.statusOf(ids[1])).toBe('deferred');
  expect(session.statusOf(ids[2])).toBe('running');
});

it('E8: a read waits for a write before it, and a write for a read before it', () => {
  const session = withCalls([call(), call(), call()]);
  session.judge(ids[0], write('/w/a'));
  session.judge(ids[1], { effect: 'read', paths: ['/w/a'] });
  session.judge(ids[2], write('/w/a'));
  expect(session.due()).toEqual([`tool:${ids[0]}:1 run`]);
  session.finish(ids[0]);
  expect(session.due()).toEqual([`tool:${ids[1]}:1 run`]);
  session.finish(ids[1]);
  expect(session.due()).toEqual([`judge:${ids[2]}:2`]);
});

it('E8: an external call runs alone', () => {
  const session = withCalls([call(), call(), call()]);
  session.judge(ids[0]);
  session.judge(ids[1], { effect: 'external' });
  session.judge(ids[2]);
  expect(session.due()).toEqual([`tool:${ids[0]}:1 run`]);
  session.finish(ids[0]);
  session.judge(ids[1], { effect: 'external' });
  expect(session.due()).toEqual([`tool:${ids[1]}:2 run`]);
  session.finish(ids[1]);
  expect(session.due()).toEqual([`tool:${ids[2]}:1 run`]);
});

it('E8: a change that names no path waits for every call before it', () => {
  const session = withCalls([call(), call()]);
  session.judge(ids[0], write('/w/a'));
  session.judge(ids[1], { effect: 'write', paths: [] });
  expect(session.statusOf(ids[1])).toBe('deferred');
});

it('E8: a change waits for a call before it of which nobody knows yet what it touches', () => {
  const session = withCalls([call(), call()]);
  session.judge(ids[1], write('/w/a'));
  expect(session.statusOf(ids[1])).toBe('deferred');
  session.judge(ids[0], write('/w/b'));
  expect(session.due()).toEqual([`judge:${ids[1]}:2`, `tool:${ids[0]}:1 run`].toReversed());
});

it('E8: what an approver changed waits for a later call that runs already and touches the same', () => {
  const session = withCalls([call(), call()]);
  session.judge(ids[0], { ...write('/w/a'), verdict: 'ask' });
  session.judge(ids[1], write('/w/b'));
  session.approve(ids[0], { input: { path: '/w/b' } });
  session.judge(ids[0], write('/w/b'));
  expect(session.due()).toEqual([`tool:${ids[1]}:1 run`]);
  session.finish(ids[1]);
  session.judge(ids[0], write('/w/b'));
  expect(session.statusOf(ids[0])).toBe('running');
});

it('E8: sixteen calls run at once, at most', () => {
  const session = withCalls(Array.from({ length: 20 }, () => call()));
  for (let index = 1; index <= 20; index++) session.judge(`t1_s1_c${index}`);
  expect(session.count('tool.started')).toBe(16);
  session.finish('t1_s1_c7');
  expect(session.count('tool.started')).toBe(17);
});

it('judges a call again that found another world than was judged, and counts nothing of before', () => {
  const session = withCalls([call()]);
  session.judge(ids[0], write('/w/a'));
  session.outdated(ids[0]);
  expect(session.due()).toEqual([`judge:${ids[0]}:2`]);
  session.judge(ids[0], write('/w/a'));
  expect(session.outdated(ids[0], `tool:${ids[0]}:1`)).toMatchObject({ code: 'late_outcome' });
  expect(session.finish(ids[0], {}, `tool:${ids[0]}:1`)).toMatchObject({ code: 'late_outcome' });
  session.finish(ids[0]);
  expect(session.results()).toHaveLength(1);
});
