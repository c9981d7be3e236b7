/** E9: calls that begin while the answer that asks for them still streams. */
import type { CreateOptions, JsonObject, PawlEvent } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import type { HostOptions, ModelEvent, ModelPart, SessionLog, Tool, ToolOutcome } from '../../src/index.ts';
import { type Answer, collect, eventOf, fakeHost, fakeModel, fakeTool, finished, gate, ofType } from './support.ts';

type Read = { input: JsonObject; signal: AbortSignal; answer(outcome: ToolOutcome): void };

/** A tool whose runs a test sees begin and ends as it likes. */
function watched(name: string, more: Partial<Tool> = {}) {
  const runs: Read[] = [];
  const waiting: (() => void)[] = [];
  const tool = fakeTool(
    name,
    (input, { signal }) =>
      new Promise((resolve) => {
        runs.push({ input, signal, answer: resolve });
        for (const wake of waiting.splice(0)) wake();
      }),
    more,
  );
  const begun = async (count: number): Promise<void> => {
    while (runs.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { tool, runs, begun };
}

const whole = (call: number, tool: string, input: JsonObject): ModelEvent => ({
  type: 'input_complete',
  call,
  tool,
  input,
});
const asked = (tool: string, input: JsonObject): ModelPart => ({ type: 'tool_call', tool, input });

/** Several turns of the event loop: time enough for whatever would begin by itself. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function begin(stream: () => AsyncIterable<ModelEvent>, tools: readonly Tool[], more = {}) {
  const host = fakeHost(fakeModel(stream), { tools });
  const session = await host.create({ cwd: '/', ...more });
  return { session, events: collect(session.send('Read.')) };
}

const contents = (events: readonly PawlEvent[]) => ofType(events, 'tool.finished').map(({ data }) => data.content);

describe('E9: streaming tool execution', () => {
  it('begins a read while the answer streams, holds its result, and gives it once the call is in the log', async () => {
    const read = watched('read');
    const end = gate();
    const { events } = await begin(
      async function* () {
        yield whole(1, 'read', { path: 'a' });
        await end.promise;
        yield finished([asked('read', { path: 'a' })]);
      },
      [read.tool],
    );
    await read.begun(1);
    read.runs[0]?.answer({ content: 'text of a' });
    await rest();
    end.resolve();
    const all = await events;
    expect(read.runs).toHaveLength(1);
    expect(contents(all)).toEqual(['text of a']);
    const order = all.map((event) => event.type);
    expect(order.indexOf('tool.started')).toBeLessThan(order.indexOf('tool.finished'));
    expect(order.indexOf('message.added')).toBeLessThan(order.indexOf('tool.started'));
  });

  it('waits for a read that is still at work when the answer is whole, and does not begin it anew', async () => {
    const read = watched('read');
    const { session, events } = await begin(
      async function* () {
        yield whole(1, 'read', { path: 'a' });
        await read.begun(1);
        yield finished([asked('read', { path: 'a' })]);
      },
      [read.tool],
    );
    for await (const event of session.events({ seq: 0 })) if (event.type === 'tool.started') break;
    read.runs[0]?.answer({ content: 'late' });
    expect(contents(await events)).toEqual(['late']);
    expect(read.runs).toHaveLength(1);
  });

  it('begins four at once, and the next when one is done', async () => {
    const read = watched('read');
    const end = gate();
    const paths = ['a', 'b', 'c', 'd', 'e'];
    const { events } = await begin(
      async function* () {
        for (const [index, path] of paths.entries()) yield whole(index + 1, 'read', { path });
        await end.promise;
        yield finished(paths.map((path) => asked('read', { path })));
      },
      [read.tool],
    );
    await read.begun(4);
    await rest();
    expect(read.runs).toHaveLength(4);
    read.runs[2]?.answer({ content: 'C' });
    await read.begun(5);
    for (const run of read.runs) run.answer({ content: String(run.input.path) });
    end.resolve();
    expect(contents(await events).sort()).toEqual(['C', 'a', 'b', 'd', 'e']);
    expect(read.runs).toHaveLength(5);
  });

  it('runs anew a call whose arguments drifted, and throws the early one away (scenario 20)', async () => {
    const read = watched('read');
    const { events } = await begin(
      async function* () {
        yield whole(1, 'read', { path: 'a' });
        await read.begun(1);
        yield finished([asked('read', { path: 'b' })]);
      },
      [read.tool],
    );
    await read.begun(2);
    expect(read.runs[0]?.signal.aborted).toBe(true);
    read.runs[0]?.answer({ content: 'text of a' });
    read.runs[1]?.answer({ content: 'text of b' });
    expect(contents(await events)).toEqual(['text of b']);
  });

  const cases: [string, Partial<Tool>, Partial<CreateOptions>][] = [
    ['changes something', { effect: 'write' as const, approval: () => false }, {}],
    ['asks', { approval: () => true }, { isAttended: false }],
    ['is denied', {}, { rules: { deny: ['read'], ask: [], allow: [] } }],
    ['has bad arguments', { input: { type: 'object', required: ['never'] } }, {}],
  ];
  it.each(cases)('does not begin early what %s', async (_, tool, settings) => {
    const read = watched('read', tool);
    const seen: number[] = [];
    const { session, events } = await begin(
      async function* () {
        yield whole(1, 'read', { path: 'a' });
        await rest();
        seen.push(read.runs.length);
        yield finished([asked('read', { path: 'a' })]);
      },
      [read.tool],
      settings,
    );
    const done = events.catch(() => undefined);
    for await (const event of session.events({ seq: 0 })) {
      if (event.type === 'tool.started') await read.begun(1);
      for (const run of read.runs) run.answer({ content: '' });
      if (event.type === 'turn.ended') break;
    }
    await done;
    expect(seen).toEqual([0]);
  });

  it('reads nothing early that stands after a change', async () => {
    const read = watched('read');
    const write = watched('write', { effect: 'write', approval: () => false });
    const seen: number[] = [];
    const { events } = await begin(
      async function* () {
        yield whole(1, 'write', { path: 'a' });
        yield whole(2, 'read', { path: 'a' });
        await rest();
        seen.push(read.runs.length, write.runs.length);
        yield finished([asked('write', { path: 'a' }), asked('read', { path: 'a' })]);
      },
      [read.tool, write.tool],
    );
    await write.begun(1);
    write.runs[0]?.answer({ content: 'written' });
    await read.begun(1);
    read.runs[0]?.answer({ content: 'read' });
    expect(contents(await events)).toEqual(['written', 'read']);
    expect(seen).toEqual([0, 0]);
  });

  it('leaves no trace of an early call when the answer is withdrawn, and announces that (scenario 21)', async () => {
    const read = watched('read');
    const { events } = await begin(
      async function* () {
        yield { type: 'text', text: 'I read a.' };
        yield whole(1, 'read', { path: 'a' });
        await read.begun(1);
        yield { type: 'rollback', reason: 'The provider began its answer anew.' };
        yield { type: 'text', text: 'Nothing to read.' };
        yield finished([{ type: 'text', text: 'Nothing to read.' }]);
      },
      [read.tool],
    );
    const all = await events;
    expect(read.runs[0]?.signal.aborted).toBe(true);
    expect(all.map((event) => event.type)).toContain('stream.withdrawn');
    expect(all.some((event) => event.type.startsWith('tool.'))).toBe(false);
  });

  it('stops early calls when the turn is cancelled, and logs none of them', async () => {
    const read = watched('read');
    const { session, events } = await begin(
      async function* () {
        yield whole(1, 'read', { path: 'a' });
        await new Promise(() => undefined);
        yield finished([]);
      },
      [read.tool],
    );
    await read.begun(1);
    await session.cancel();
    const all = await events;
    expect(read.runs[0]?.signal.aborted).toBe(true);
    expect(ofType(all, 'turn.ended')[0]?.data.outcome).toBe('cancelled');
    expect(all.some((event) => event.type.startsWith('tool.'))).toBe(false);
  });

  it('is judged again once it is logged: a rule that came meanwhile holds', async () => {
    const read = watched('read');
    const end = gate();
    const { session, events } = await begin(
      async function* () {
        yield whole(1, 'read', { path: 'a' });
        await end.promise;
        yield finished([asked('read', { path: 'a' })]);
      },
      [read.tool],
    );
    await read.begun(1);
    await session.command('rule.add', { list: 'deny', rule: 'read' });
    end.resolve();
    const all = await events;
    expect(ofType(all, 'tool.finished').map(({ data }) => data.status)).toEqual(['denied']);
    expect(read.runs[0]?.signal.aborted).toBe(true);
  });

  it('gives what an early read threw as its error', async () => {
    const failing = fakeTool('read', async () => {
      throw new Error('No such file.');
    });
    const { events } = await begin(
      async function* () {
        yield whole(1, 'read', { path: 'a' });
        await rest();
        yield finished([asked('read', { path: 'a' })]);
      },
      [failing],
    );
    expect(ofType(await events, 'tool.finished')[0]?.data).toMatchObject({ status: 'error', content: 'No such file.' });
  });

  it('writes an answer, its judgement and the result of a read that needs no waiting as one record', async () => {
    const log = memoryLog();
    const records: string[][] = [];
    const counted: SessionLog = {
      ...log,
      append(id, expected, events) {
        records.push(events.map((event) => event.type));
        return log.append(id, expected, events);
      },
    };
    const answer: Answer = async function* () {
      yield whole(1, 'echo', { path: 'a' });
      yield finished([asked('echo', { path: 'a' })]);
    };
    const session = await fakeHost(fakeModel(answer), { log: counted, blobs: log }).create({ cwd: '/' });
    expect(contents(await collect(session.send('Read.')))).toEqual(['{"path":"a"}']);
    expect(records[2]).toEqual(['message.added', 'tool.judged', 'tool.started', 'tool.finished', 'step.started']);
  });

  it('asks in the record of the answer, with the preview made while it streamed', async () => {
    const write = watched('write', {
      effect: 'write',
      plan: async () => ({ preview: { kind: 'text', text: 'It would write.' } }),
    });
    const { session } = await begin(
      async function* () {
        yield whole(1, 'write', { path: 'a' });
        await rest();
        yield finished([asked('write', { path: 'a' })]);
      },
      [write.tool],
      { isAttended: true },
    );
    const request = await eventOf(session, 'approval.requested');
    expect(request.data.preview?.text).toBe('It would write.');
    const message = await eventOf(session, 'message.added');
    expect(write.runs).toHaveLength(0);
    expect(message.data.message.role).toBe('user');
    await session.cancel();
  });

  it('counts only the last of two calls that the stream gives the same place', async () => {
    const read = watched('read');
    const { events } = await begin(
      async function* () {
        yield whole(1, 'read', { path: 'a' });
        await read.begun(1);
        yield whole(1, 'read', { path: 'b' });
        await read.begun(2);
        yield finished([asked('read', { path: 'b' })]);
      },
      [read.tool],
    );
    await read.begun(2);
    expect(read.runs.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    read.runs[1]?.answer({ content: 'text of b' });
    expect(contents(await events)).toEqual(['text of b']);
  });

  it('begins nothing early where middleware would see a call that may never be made', async () => {
    const read = watched('read');
    const seen: number[] = [];
    const answer: Answer = async function* () {
      yield whole(1, 'read', { path: 'a' });
      await rest();
      seen.push(read.runs.length);
      yield finished([asked('read', { path: 'a' })]);
    };
    const toolMiddleware: HostOptions['toolMiddleware'] = [(tool, input, context, next) => next(tool, input, context)];
    const session = await fakeHost(fakeModel(answer), { tools: [read.tool], toolMiddleware }).create({ cwd: '/' });
    const events = collect(session.send('Read.'));
    await read.begun(1);
    read.runs[0]?.answer({ content: 'read' });
    expect(contents(await events)).toEqual(['read']);
    expect(seen).toEqual([0]);
  });
});
