import type { FilePart, UserPart } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import type { HostOptions, Model, ToolOutcome } from '../../src/index.ts';
import { pdfOf, pngOf } from '../../src/testing/index.ts';
import { collect, fakeHost, fakeModel, fakeTool, finished, gate, ofType } from './support.ts';

const cwd = process.cwd();
const text = (words: string): UserPart => ({ type: 'text', text: words });

async function start(model: Model = fakeModel(), options: Partial<HostOptions> = {}) {
  const log = memoryLog();
  const host = fakeHost(model, { log, ...options });
  return { log, host, session: await host.create({ cwd }) };
}

/** A tool that gives these files. */
const shows = (files: () => Promise<readonly FilePart[]>) =>
  fakeTool('look', async (): Promise<ToolOutcome> => ({ content: 'Look:', files: await files() }));

async function partOf(log: ReturnType<typeof memoryLog>, bytes: Uint8Array, mediaType: string): Promise<FilePart> {
  return { type: 'file', mediaType, digest: await log.put(bytes), sizeBytes: bytes.length, name: 'raw' };
}

describe('M13: a file is attached, then sent', () => {
  it('reaches the model with its bytes', async () => {
    const model = fakeModel();
    const { host, session } = await start(model);
    const bytes = pngOf({ width: 20, height: 10 });
    const part = await host.attach(bytes, { name: 'shot.png' });
    expect(part).toMatchObject({ type: 'file', mediaType: 'image/png', sizeBytes: bytes.length, name: 'shot.png' });
    await session.run([part, text('What is this?')]);
    const [request] = model.requests;
    expect(request?.messages[0]).toMatchObject({ content: [part, text('What is this?')] });
    expect(Buffer.from(request?.file?.(part.digest) ?? []).equals(bytes)).toBe(true);
  });

  it('is shrunk when it is attached, whoever the client is', async () => {
    const { host } = await start();
    const agent = host.client({ kind: 'agent', id: 'other' });
    const part = await agent.attach(pngOf({ width: 3000, height: 30 }));
    expect(part.mediaType).toBe('image/png');
    await expect(agent.attach(Buffer.from('text'))).rejects.toMatchObject({ code: 'unknown_file_type' });
  });

  it('is refused before it is accepted when its bytes are not there, or are not what the part says', async () => {
    const { log, host, session } = await start();
    const small = pngOf({ width: 10, height: 10 });
    const good = await host.attach(small);
    const wrong: [string, FilePart][] = [
      ['no_file', { ...good, digest: `sha256-${'0'.repeat(64)}` }],
      ['bad_file', { ...good, mediaType: 'image/jpeg' }],
      ['bad_file', { ...good, sizeBytes: 1 }],
      ['bad_file', await partOf(log, Buffer.from('hello'), 'text/plain')],
      ['bad_file', await partOf(log, pngOf({ width: 3000, height: 10 }), 'image/png')],
      ['damaged_file', await partOf(log, small.subarray(0, 60), 'image/png')],
    ];
    for (const [code, part] of wrong) {
      await expect(session.run([part, text('?')])).rejects.toMatchObject({ code });
      await expect(session.command('context.add', { content: [part] })).rejects.toMatchObject({ code });
    }
    expect((await session.view()).queue).toEqual([]);
    expect((await host.read(session.id)).map(({ type }) => type)).toEqual(['session.created']);
    expect((await session.run([good, text('?')])).outcome).toBe('completed');
  });

  it('is not overtaken by inputs without files', async () => {
    const model = fakeModel();
    const { host, session } = await start(model);
    const part = await host.attach(pngOf({ width: 10, height: 10 }));
    await Promise.all([session.run([part, text('first')]), session.run('second')]);
    const said = model.requests.at(-1)?.messages.flatMap((message) => (message.role === 'user' ? [message] : []));
    expect(said?.map(({ content }) => content.at(-1))).toEqual([text('first'), text('second')]);
  });

  it('is overtaken by a cancel, which waits for no file', async () => {
    const isAsked = gate();
    const isThere = gate();
    const log = memoryLog();
    const blobs = {
      put: (bytes: Uint8Array) => log.put(bytes),
      async get(digest: string) {
        isAsked.resolve();
        await isThere.promise;
        return log.get(digest);
      },
    };
    const model = fakeModel(async function* (_, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      yield* [];
    }, 'Seen.');
    const { session } = await start(model, { log, blobs });
    const part = await partOf(log, pngOf({ width: 10, height: 10 }), 'image/png');
    const first = session.run('first');
    const second = session.run([part, text('second')]);
    await isAsked.promise;
    await session.cancel();
    expect((await first).outcome).toBe('cancelled');
    isThere.resolve();
    expect((await second).text).toBe('Seen.');
  });

  it('sent twice under one id is accepted once and answered alike', async () => {
    const { host, session } = await start();
    const part = await host.attach(pngOf({ width: 10, height: 10 }));
    const send = () => session.command('input.send', { content: [part, text('?')] }, 'one');
    const first = await send();
    expect(await send()).toEqual({ seq: first.seq, isDuplicate: true });
  });
});

describe('M13: no file of a result can spoil the requests after it', () => {
  it('shrinks what is too large, and says in text what became of what cannot be shown', async () => {
    const log = memoryLog();
    const large = await partOf(log, pngOf({ width: 9000, height: 9 }), 'image/png');
    const files = async () => [
      large,
      await partOf(log, Buffer.from('no image'), 'image/png'),
      { ...large, digest: `sha256-${'1'.repeat(64)}`, name: 'gone.png' },
      await partOf(log, pdfOf({ pages: 3 }), 'application/octet-stream'),
    ];
    const model = fakeModel([{ tool: 'look' }]);
    const { session } = await start(model, { log, tools: [shows(files)] });
    const [result] = ofType(await collect(session.send('look')), 'tool.finished');
    expect(result?.data.status).toBe('ok');
    expect(result?.data.content).toMatch(
      /^Look:\n\[file raw cannot be shown: raw is neither .*\]\n\[file gone\.png cannot be shown: The bytes of gone\.png are not here\..*\]$/,
    );
    expect(result?.data.files?.map(({ mediaType }) => mediaType)).toEqual(['image/png', 'application/pdf']);
    const [shrunk] = result?.data.files ?? [];
    expect(shrunk?.digest).not.toBe(large.digest);
    expect(model.requests[1]?.file?.(shrunk?.digest ?? '')).toHaveLength(shrunk?.sizeBytes ?? -1);
  });

  it('lets no more into a session than one request can hold, also when many come at once', async () => {
    const log = memoryLog();
    const noise = pngOf({ width: 950, height: 950, isNoise: true });
    expect(noise.length * 6).toBeGreaterThan(21_000_000);
    const four = [noise, noise, noise, noise];
    const tool = shows(() => Promise.all(four.map((bytes) => partOf(log, bytes, 'image/png'))));
    const { host, session } = await start(fakeModel([{ tool: 'look' }, { tool: 'look' }]), { log, tools: [tool] });
    const results = ofType(await collect(session.send('look')), 'tool.finished');
    expect(results.flatMap(({ data }) => data.files ?? [])).toHaveLength(5);
    const texts = results.map(({ data }) => data.content).join('\n');
    expect(texts.match(/as many images and PDFs as one request can/g)).toHaveLength(3);
    const more = await host.attach(noise);
    await expect(session.run([more, text('?')])).rejects.toMatchObject({ code: 'too_many_files' });
    expect((await session.run('still there?')).outcome).toBe('completed');
  });

  it('does not count what was read for an answer that was thrown away', async () => {
    const log = memoryLog();
    const noise = pngOf({ width: 950, height: 950, isNoise: true });
    const call = { call: 1, tool: 'look', input: {} };
    let looked = gate();
    const tool = shows(async () => {
      const parts = await Promise.all([noise, noise, noise, noise].map((bytes) => partOf(log, bytes, 'image/png')));
      looked.resolve();
      return parts;
    });
    const model = fakeModel(async function* () {
      for (const reason of ['one', 'two', 'three']) {
        looked = gate();
        yield { type: 'input_complete', ...call };
        await looked.promise;
        yield { type: 'rollback', reason };
      }
      yield finished([{ type: 'tool_call', tool: 'look', input: {} }]);
    });
    const { session } = await start(model, { log, tools: [tool] });
    const [result] = ofType(await collect(session.send('look')), 'tool.finished');
    expect(result?.data.files).toHaveLength(4);
  });

  it('counts the pages of PDFs, also of those from before a restart', async () => {
    const log = memoryLog();
    const first = fakeHost(fakeModel(), { log });
    const { id, run } = await first.create({ cwd });
    await run([await first.attach(pdfOf({ pages: 60 })), text('?')]);
    await first.close();
    const second = fakeHost(fakeModel(), { log });
    const session = await second.open(id);
    const large = await second.attach(pdfOf({ pages: 41 }));
    await expect(session.run([large, text('?')])).rejects.toMatchObject({ code: 'too_many_files' });
    expect((await session.run([await second.attach(pdfOf({ pages: 40 })), text('?')])).outcome).toBe('completed');
  });
});
