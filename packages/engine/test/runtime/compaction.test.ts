/** Compaction with a model: summaries that are checked, repaired and given up; and five hundred turns through twenty of them. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Todo } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import { headings } from '../../src/context/compaction/headings.ts';
import { buildRequest, toldTo } from '../../src/context/request.ts';
import { evolve, initialState } from '../../src/core/index.ts';
import type { Model, ModelPart, ModelRequest } from '../../src/index.ts';
import { createHost, createRegistry } from '../../src/index.ts';
import { echo, eventOf, fakeTool, finished, hastyClock, ofType } from './support.ts';

const info = { contextTokens: 16_000, outputTokens: 1000, isPriceKnown: true };
/** Four characters a token, as the engine reckons. */
const tokensOf = (request: ModelRequest) =>
  Math.ceil(
    (request.system.length + JSON.stringify(request.tools).length + JSON.stringify(request.messages).length) / 4,
  );

const said = ({ messages }: ModelRequest) =>
  messages.map((message) => (message.role === 'user' ? textOf(message.content) : '')).join('\n');

const summary = (changes: Partial<Record<(typeof headings)[number], string>> = {}) =>
  headings
    .map((heading) => `## ${heading}\n${changes[heading] ?? 'Nothing that would need more than this one plain line.'}`)
    .join('\n');

/** Answers steps and summaries each by a function; counts what it is sent. */
function countingModel(step: (request: ModelRequest) => ModelPart[], summarise: (request: ModelRequest) => string) {
  const requests: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  const model: Model = {
    id: 'fake/model',
    info,
    async *stream(request) {
      const isSummary = request.purpose === 'compaction';
      (isSummary ? summaries : requests).push(request);
      const content: ModelPart[] = isSummary ? [{ type: 'text', text: summarise(request) }] : step(request);
      const event = finished(content);
      if (event.type !== 'finished') return;
      const usage = { ...event.message.usage, inputTokens: tokensOf(request), outputTokens: 20 };
      yield { ...event, message: { ...event.message, usage } };
    },
  };
  return { model, requests, summaries };
}

/** A session with some turns behind it, one of which corrects, compacted by hand. */
async function compacted(
  summarise: (request: ModelRequest, number: number) => string,
  options: { todos?: Todo[]; summaryPrompt?: string; correction?: string } = {},
) {
  let asked = 0;
  const { model, requests, summaries } = countingModel(
    (request) => {
      const isFirst = requests.length === 1 && request.messages.length === 1;
      return isFirst && options.todos !== undefined
        ? [{ type: 'tool_call', tool: 'todo', input: {} }]
        : [{ type: 'text', text: 'Done. '.repeat(40) }];
    },
    (request) => summarise(request, ++asked),
  );
  const todo = fakeTool('todo', async () => ({
    content: 'ok',
    ...(options.todos !== undefined && { todos: options.todos }),
  }));
  const { summaryPrompt, correction = 'Never paint it red.' } = options;
  const host = createHost({
    log: memoryLog(),
    model,
    tools: [echo, todo],
    ...(summaryPrompt !== undefined && { summaryPrompt }),
  });
  const session = await host.create({ cwd: '/' });
  await session.run('Build a fence.');
  await session.run(correction);
  for (let turn = 0; turn < 14; turn++) await session.run(`Plank ${turn}. ${'It is long. '.repeat(60)}`);
  await session.command('context.compact', { focus: 'the gate' });
  await eventOf(session, 'context.compacted');
  await session.run('Go on.');
  const events = await host.read(session.id);
  await host.close();
  return { events, requests, summaries, result: ofType(events, 'compaction.summarised')[0]?.data };
}

describe('X3: a summary', () => {
  const corrected = { 'Corrections and constraints': 'Never paint it red.' };

  it('is asked for with its headings, the corrections and the focus, without tools, and costs the session', async () => {
    const { summaries, result, events } = await compacted(() => summary(corrected));
    const [request] = summaries;
    expect(request?.tools).toEqual([]);
    for (const part of [...headings, 'Never paint it red.', 'the gate', 'Plank 3.'])
      expect(request === undefined ? '' : said(request)).toContain(part);
    expect(summaries).toHaveLength(1);
    expect(result).toMatchObject({ kind: 'summary', costUsd: 0.01 });
    expect(ofType(events, 'context.compacted')[0]?.data.content).toContain('Build a fence.');
  });

  it.each([
    ['is missing a heading', () => summary(corrected).replace('## Decisions', ''), 'It lacks the headings: Decisions.'],
    ['is too short', () => 'All went well.', 'too short'],
    [
      'lists finished todos as open',
      () => summary({ ...corrected, 'Next steps': '- Dig the holes' }),
      'lists "Dig the holes"',
    ],
    ['does not name a correction', () => summary(), 'Never paint it red.'],
    ['is longer than what it stands for', () => summary({ ...corrected, Goal: 'long '.repeat(20_000) }), 'longer than'],
  ])('that %s is repaired once (scenario 25)', async (_what, bad, problem) => {
    const todos: Todo[] = [{ text: 'Dig the holes', status: 'completed' }];
    const { summaries, result } = await compacted((_, number) => (number === 1 ? bad() : summary(corrected)), {
      todos,
    });
    expect(summaries).toHaveLength(2);
    expect(summaries[1] === undefined ? '' : said(summaries[1])).toContain(problem);
    expect(result).toMatchObject({ kind: 'summary', summary: summary(corrected) });
  });

  it('names a correction in a language without spaces when most of its characters are there', async () => {
    const { summaries } = await compacted(
      () => summary({ 'Corrections and constraints': '用户说过：配置文件绝不可修改。' }),
      {
        correction: '不要修改配置文件',
      },
    );
    expect(summaries).toHaveLength(1);
    const other = await compacted(() => summary({ 'Corrections and constraints': '用户喜欢蓝色的花园和长椅。' }), {
      correction: '不要修改配置文件',
    });
    expect(other.summaries).toHaveLength(2);
  });

  it('that stays bad gives way to a digest, which holds what was called and said (scenario 25)', async () => {
    const { summaries, result, requests } = await compacted(() => 'No.', {
      todos: [{ text: 'Dig', status: 'pending' }],
    });
    expect(summaries).toHaveLength(2);
    expect(result?.kind).toBe('digest');
    expect(result?.summary).toContain('- todo');
    expect(said(requests.at(-1) ?? (requests[0] as ModelRequest))).toContain('Never paint it red.');
  });

  it('is asked for by the template of the host, which gets the conversation in any case', async () => {
    const { summaries } = await compacted(() => summary(corrected), { summaryPrompt: 'Sum it up:\n{{headings}}' });
    expect(summaries[0] === undefined ? '' : said(summaries[0])).toMatch(/Plank 3[\s\S]*Sum it up:\n## Goal/);
  });
});

/** One file was written; then something else stands in its place when the history is compacted. */
async function replaced(replace: (path: string) => void) {
  const path = join(realpathSync.native(mkdtempSync(join(tmpdir(), 'pawl-key-'))), 'plan.txt');
  writeFileSync(path, 'A plan.');
  const { model } = countingModel(
    ({ messages }) =>
      messages.length === 1
        ? [{ type: 'tool_call', tool: 'write', input: {} }]
        : [{ type: 'text', text: 'Done. '.repeat(40) }],
    () => summary(),
  );
  const write = fakeTool('write', async () => ({ content: 'ok', details: { files: { [path]: 'sha256-1' } } }), {
    effect: 'write',
  });
  const host = createHost({ log: memoryLog(), model, tools: [write] });
  const session = await host.create({ cwd: '/', mode: 'auto' });
  for (let turn = 0; turn < 14; turn++) await session.run(`Plank ${turn}. ${'It is long. '.repeat(60)}`);
  replace(path);
  await session.command('context.compact', {});
  await eventOf(session, 'context.compacted');
  const events = await host.read(session.id);
  await host.close();
  return ofType(events, 'compaction.summarised')[0]?.data.files;
}

describe('X3: a key file that is none any more', () => {
  it('is told from one that is', async () => {
    expect(await replaced(() => undefined)).toMatchObject([{ text: 'A plan.' }]);
  });

  it('is left out where it is a pipe, which nobody writes to', async () => {
    const files = await replaced((path) => {
      rmSync(path);
      execFileSync('mkfifo', [path]);
    });
    expect(files).toEqual([]);
  });

  it('is left out where it is a link, which may lead to what the session must not see', async () => {
    const files = await replaced((path) => {
      writeFileSync(`${path}.secret`, 'A key.');
      rmSync(path);
      symlinkSync(`${path}.secret`, path);
    });
    expect(files).toEqual([]);
  });
});

describe('X4: a summary that never comes', () => {
  it('costs its time and not the session: a digest stands in, or it has failed', async () => {
    let signal: AbortSignal | null = null;
    const model: Model = {
      id: 'fake/model',
      info,
      async *stream(request, limit) {
        if (request.purpose === 'compaction') {
          signal = limit;
          await new Promise(() => undefined);
        }
        yield finished([{ type: 'text', text: 'Done.' }]);
      },
    };
    const host = createHost({ log: memoryLog(), model, tools: [echo], clock: hastyClock });
    const session = await host.create({ cwd: '/' });
    for (let turn = 0; turn < 14; turn++) await session.run(`Plank ${turn}.`);
    await session.command('context.compact', {});
    await eventOf(session, 'context.compacted');
    expect(ofType(await host.read(session.id), 'compaction.summarised')[0]?.data.kind).toBe('digest');
    expect(signal).toMatchObject({ aborted: true });
    await host.close();
  });

  it('that waits for a memory which does not answer goes without it', async () => {
    const { model } = countingModel(
      () => [{ type: 'text', text: 'Done. '.repeat(40) }],
      () => summary(),
    );
    const never = () => new Promise<never>(() => undefined);
    const memory = { search: never, list: never, add: never, remove: never, close: async () => undefined };
    const host = createHost({ log: memoryLog(), model, tools: [echo], memory, clock: hastyClock });
    const session = await host.create({ cwd: '/' });
    for (let turn = 0; turn < 14; turn++) await session.run(`Plank ${turn}. ${'It is long. '.repeat(60)}`);
    await session.command('context.compact', {});
    await eventOf(session, 'context.compacted');
    await host.close();
  });
});

describe('X2 to X5: five hundred turns, through twenty compactions', { timeout: 120_000 }, () => {
  it('keep every correction, the task, the open todos and the files as they are, within the window', async () => {
    const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'pawl-500-')));
    const path = join(folder, 'plan.txt');
    let todos: Todo[] = [];
    let turns = 0;
    const digestOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('hex')}`;
    const write = fakeTool(
      'write',
      async () => {
        const text = `Plan, as of turn ${turns}.`;
        writeFileSync(path, text);
        return { content: 'ok', details: { files: { [path]: digestOf(text) } } };
      },
      { effect: 'write' },
    );
    const todo = fakeTool('todo', async () => {
      todos = [
        { text: `Thing ${turns}`, status: 'pending' },
        { text: `Old thing ${turns - 1}`, status: 'completed' },
      ];
      return { content: 'ok', todos };
    });
    const look = fakeTool('look', async () => ({ content: `Line of turn ${turns}. `.repeat(30) }));
    let calls = 0;
    const { model, requests, summaries } = countingModel(
      (request) => {
        const last = request.messages.at(-1);
        if (last?.role !== 'user') return [{ type: 'text', text: `Turn ${turns} is done.` }];
        const tool = ['look', 'write', 'look', 'todo', 'look'][calls++ % 5] ?? 'look';
        return [{ type: 'tool_call', tool, input: { turn: turns } }];
      },
      (request) => {
        const prompt = said(request);
        return summary({ 'Corrections and constraints': prompt.slice(prompt.lastIndexOf('These words')) });
      },
    );
    const host = createHost({ log: memoryLog(), model, tools: [write, todo, look] });
    const session = await host.create({ cwd: folder, mode: 'auto' });
    const corrections: string[] = [];
    for (turns = 1; turns <= 500; turns++) {
      const isCorrection = turns % 50 === 7;
      const text = isCorrection ? `Never use the word number ${turns}, whatever happens.` : `Step ${turns}, please.`;
      if (isCorrection) corrections.push(text);
      await session.run(turns === 1 ? 'Write the plan of the year.' : text);
    }
    await session.run('And now?');
    const events = await host.read(session.id);
    const applied = ofType(events, 'context.compacted');
    expect(applied.length).toBeGreaterThanOrEqual(20);
    expect(summaries.length).toBeGreaterThanOrEqual(20);

    const last = requests.at(-1) ?? (requests[0] as ModelRequest);
    for (const kept of [...corrections, 'Write the plan of the year.']) expect(said(last)).toContain(kept);
    const compactedAt = applied.at(-1);
    const openThen = ofType(events.slice(0, compactedAt?.seq), 'todo.updated').at(-1)?.data.todos ?? [];
    for (const { text, status } of openThen) if (status === 'pending') expect(said(last)).toContain(`[ ] ${text}`);
    const now = readFileSync(path, 'utf8');
    const state = initialState();
    for (const event of events) evolve(state, event);
    expect(state.files.get(path)).toBe(digestOf(now));
    // What a compaction shows of a file is what the file was then, by the log's own digest.
    for (const { data, seq } of applied) {
      const shown = /<untrusted-file source="[^"]*plan\.txt">\n(.*)\n<\/untrusted-file>/.exec(data.content)?.[1];
      const before = ofType(events.slice(0, seq), 'tool.finished').findLast(
        ({ data: { details } }) => details?.files !== undefined,
      );
      const files = (before?.data.details?.files ?? {}) as { [name: string]: string };
      if (shown === undefined)
        expect(data.content).toContain(
          `Changed since the summary was made: read these again before you rely on them\n- ${path}`,
        );
      else expect(digestOf(shown)).toBe(files[path]);
    }
    expect(Math.max(...requests.map(tokensOf))).toBeLessThan(info.contextTokens - info.outputTokens);

    // The prefix changes at the logged events only.
    let moved = 0;
    for (const [index, request] of requests.entries()) {
      const before = requests[index - 1];
      if (before === undefined) continue;
      const isPrefix = before.messages.every((message, place) => request.messages[place] === message);
      expect(request.system).toBe(before.system);
      expect(request.tools).toBe(before.tools);
      if (!isPrefix) moved += 1;
    }
    expect(moved).toBe(applied.length + ofType(events, 'context.trimmed').length);
    await host.close();
  });
});

it('X5: the request of a session of 2000 messages is built in less than a millisecond', () => {
  const state = initialState();
  let seq = 0;
  const by = { kind: 'human', id: 'ann' } as const;
  const add = (event: object) =>
    evolve(state, { seq: ++seq, at: 0, session: 's', by, ...event } as Parameters<typeof evolve>[1]);
  const limits = {
    steps: 1000,
    durationMs: null,
    tokens: null,
    usd: null,
    sessionTokens: null,
    sessionUsd: null,
    approvalTimeoutMs: 0,
  };
  add({
    type: 'session.created',
    data: {
      cwd: '/',
      model: 'fake/model',
      modelInfo: info,
      agent: 'builder',
      mode: 'auto',
      isAttended: false,
      rules: { deny: [], ask: [], allow: [] },
      limits,
      metadata: {},
    },
  });
  add({ type: 'turn.started', data: { turn: 1, cause: 'input' } });
  for (let count = 0; count < 2000; count++) {
    add({
      type: 'message.added',
      data: {
        message: {
          role: 'user',
          source: 'context',
          content: [{ type: 'text', text: `Message ${count}. `.repeat(20) }],
        },
      },
    });
  }
  const tools = createRegistry([echo]);
  const build = () =>
    buildRequest(state, { id: 'fake/model', info }, toldTo(state, { tools, system: () => 'You work.' }));
  for (let warm = 0; warm < 200; warm++) build();
  const begun = performance.now();
  for (let round = 0; round < 200; round++) expect(build().messages.length).toBe(2000);
  const eachMs = (performance.now() - begun) / 200;
  console.info(`one request of 2000 messages: ${eachMs.toFixed(4)} ms`);
  expect(eachMs).toBeLessThan(1);
});

it('X4: a fork before a compaction has the whole history again, and one after it the compacted one', async () => {
  const { model, requests } = countingModel(
    () => [{ type: 'text', text: 'Done. '.repeat(100) }],
    () => summary(),
  );
  const host = createHost({ log: memoryLog(), model });
  const session = await host.create({ cwd: '/' });
  for (let turn = 0; turn < 14; turn++) await session.run(`Turn ${turn}.`);
  await session.command('context.compact', {});
  const compaction = await eventOf(session, 'context.compacted');
  await session.run('After.');
  const after = ofType(await host.read(session.id), 'message.added').at(-2);
  const asked = async (beforeMessage: string) => {
    const { session: id } = await host.fork(session.id, { beforeMessage });
    await (await host.open(id)).run('Go on.');
    return requests.at(-1)?.messages ?? [];
  };
  const before = await asked(`m${compaction.seq}`);
  expect(before).toHaveLength(29);
  expect(before[0]).toMatchObject({ source: 'input', content: [{ text: 'Turn 0.' }] });
  const later = await asked(`m${after?.seq}`);
  expect(later.length).toBeLessThan(15);
  expect(later[0]).toMatchObject({ source: 'engine' });
  expect((await session.view()).context).toMatchObject({ compactions: 1, isCompacting: false, usableTokens: 11_000 });
  await host.close();
});

it('X4: a compaction that was under way when the driver was gone is done by the next', async () => {
  const log = memoryLog();
  const { model } = countingModel(
    () => [{ type: 'text', text: 'Done. '.repeat(200) }],
    () => summary(),
  );
  let release = () => {};
  const stuck: Model = {
    ...model,
    async *stream(request, signal) {
      if (request.purpose === 'compaction') await new Promise<void>((resolve) => (release = resolve));
      yield* model.stream(request, signal);
    },
  };
  const first = createHost({ log, model: stuck });
  const session = await first.create({ cwd: '/' });
  for (let turn = 0; turn < 14; turn++) await session.run(`Turn ${turn}.`);
  await session.command('context.compact', {});
  await first.close();
  release();
  const second = createHost({ log, model });
  const again = await second.open(session.id);
  await eventOf(again, 'context.compacted');
  const events = await second.read(session.id);
  expect(ofType(events, 'compaction.summarised')).toHaveLength(1);
  expect((await again.view()).context).toMatchObject({ compactions: 1, isCompacting: false });
  await second.close();
});
