import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Tool } from '@pawl/engine';
import { pdfOf, pngOf } from '@pawl/engine/testing';
import { anthropic } from '@pawl/models';
import { type WireAnswer, type WireRequest, wireServer } from '@pawl/models/testing';
import type { FilePart } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { builtinTools } from '@pawl/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { attachAll, readAttachments } from '../src/run/attach.ts';
import { makePlace, pawl, serverEnv } from './pawl.ts';

type Block = {
  type: string;
  text?: string;
  content?: Block[] | string;
  is_error?: boolean;
  source?: { media_type: string; data: string };
};

/** All blocks of a request, those of results too. */
function blocksOf(request: WireRequest): Block[] {
  const messages = request.body.messages as { content: Block[] }[];
  return messages.flatMap(({ content }) => content).flatMap((block) => [block, ...inner(block)]);
}

const inner = ({ content }: Block) => (Array.isArray(content) ? content : []);

/** Why the provider refuses a request: with these, and with every request that holds the same. */
function refusalOf(request: WireRequest): string | null {
  if (request.raw.length > 32_000_000) return 'Request exceeds the maximum size';
  for (const block of blocksOf(request)) {
    if (block.is_error === true && inner(block).some(({ type }) => type !== 'text')) {
      return 'all content must be type "text" if "is_error" is true';
    }
    if (block.type === 'text' && (block.text ?? '').trim() === '') return 'text content blocks must be non-empty';
    if (block.type !== 'image' || block.source === undefined) continue;
    const { media_type: type, data } = block.source;
    if (data.length > 5 * 1024 * 1024) return 'image exceeds 5 MB maximum';
    const bytes = Buffer.from(data, 'base64');
    const isPng = bytes.subarray(1, 4).toString('latin1') === 'PNG';
    if (isPng !== (type === 'image/png')) return `Image does not match the provided media type ${type}`;
    if (isPng && Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) > 8000) return 'image dimensions exceed 8000';
    if (isPng && bytes.subarray(-8, -4).toString('latin1') !== 'IEND') return 'Could not process image';
  }
  return null;
}

async function strictServer(answers: readonly WireAnswer[]) {
  const server = await wireServer((request) => {
    const message = refusalOf(request);
    if (message !== null) return { status: 400, error: { type: 'invalid_request_error', message } };
    return answers[request.number - 1] ?? { text: 'Done.' };
  });
  onTestFinished(() => server.close());
  return server;
}

const wide = pngOf({ width: 9000, height: 60 });
const noise = pngOf({ width: 1300, height: 1300, isNoise: true });

describe('M13: an image or result too large for the request (scenario 23)', () => {
  it('is known to the server of this test as what it is', async () => {
    const image = (bytes: Buffer) => ({ source: { media_type: 'image/png', data: bytes.toString('base64') } });
    const refused = (block: object) =>
      refusalOf({
        raw: '',
        body: { messages: [{ content: [{ type: 'image', ...block }] }] },
      } as unknown as WireRequest);
    expect(refused(image(wide))).toMatch(/8000/);
    expect(refused(image(noise))).toMatch(/5 MB/);
    expect(refused(image(pngOf({ width: 5, height: 5 }).subarray(0, 50)))).toMatch(/process/);
    expect(refused(image(pngOf({ width: 5, height: 5 })))).toBeNull();
  });

  it('leaves a session that works, sent as input or come as a result of any tool', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-attach-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'wide.png'), wide);
    writeFileSync(join(folder, 'noise.png'), noise);
    writeFileSync(join(folder, 'half.png'), pngOf({ width: 99, height: 99, isNoise: true }).subarray(0, 900));
    const log = memoryLog();
    const camera: Tool = {
      name: 'camera',
      description: 'Takes a picture.',
      input: { type: 'object' },
      effect: 'read',
      async run({ fails }, { blobs }) {
        const raw = async (bytes: Buffer): Promise<FilePart> => {
          return { type: 'file', mediaType: 'image/jpeg', digest: await blobs.put(bytes), sizeBytes: 1, name: 'raw' };
        };
        return {
          content: '',
          isError: fails === true,
          files: [await raw(wide), await raw(noise), await raw(Buffer.of(1))],
        };
      },
    };
    const read = (path: string) => ({ tool: 'read', input: { path } });
    const server = await strictServer([
      { text: 'A wide picture.' },
      { calls: [read('wide.png'), read('noise.png'), read('half.png')] },
      {
        calls: [
          { tool: 'camera', input: {} },
          { tool: 'camera', input: { fails: true } },
        ],
      },
      { text: 'All seen.' },
      { text: 'Yes.' },
    ]);
    const model = anthropic({ model: 'claude-sonnet-4-5', apiKey: 'test', baseUrl: server.url, environment: {} });
    const host = createHost({ log, model, tools: [...builtinTools(), camera] });
    const session = await host.create({ cwd: folder });
    const parts = [await host.attach(wide), await host.attach(noise)];
    expect(await session.run([...parts, { type: 'text', text: 'Look' }])).toMatchObject({ text: 'A wide picture.' });
    expect(await session.run('Look again')).toMatchObject({ outcome: 'completed', text: 'All seen.' });
    expect(await session.run('Are you still there?')).toMatchObject({ outcome: 'completed', text: 'Yes.' });
    await host.close();

    expect(server.requests).toHaveLength(5);
    const last = server.requests.at(-1);
    if (last === undefined) throw new Error('no request');
    const images = blocksOf(last).filter(({ type }) => type === 'image');
    expect(images).toHaveLength(8);
    const texts = JSON.stringify(blocksOf(last));
    expect(texts).toContain('half.png is damaged');
    expect(texts).toContain('[file raw cannot be shown: raw is neither an image nor a PDF');
  });
});

describe('M13: pawl run --attach', () => {
  it('sends files before the prompt, and shows their names wherever the session is shown', async () => {
    const server = await strictServer([{ text: 'A picture and a paper.' }]);
    const place = makePlace();
    const png = pngOf({ width: 40, height: 30 });
    writeFileSync(join(place.folder, 'shot.png'), png);
    writeFileSync(join(place.folder, 'paper.pdf'), pdfOf({ pages: 2 }));
    const env = serverEnv(server.url);
    const args = ['run', '--attach', 'shot.png', '-a', 'paper.pdf', 'What is this?'];
    const { code, stdout, stderr } = await pawl(place, args, { env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'A picture and a paper.\n' });
    expect(stderr).not.toContain('shot.png');
    const [request] = server.requests;
    if (request === undefined) throw new Error('no request');
    const [image, document, words] = blocksOf(request);
    expect(image).toMatchObject({ type: 'image', source: { media_type: 'image/png', data: png.toString('base64') } });
    expect(document).toMatchObject({ type: 'document', source: { media_type: 'application/pdf' } });
    expect(words).toMatchObject({ type: 'text', text: 'What is this?' });

    const shown = await pawl(place, ['sessions', 'show', 'latest']);
    expect(shown.stdout).toContain('[shot.png]\n[paper.pdf]\nWhat is this?');
    const listed = await pawl(place, ['sessions', 'list']);
    expect(listed.stdout).toContain('[shot.png] [paper.pdf] What is this?');
    for (const format of ['markdown', 'html', 'json']) {
      const { stdout: document } = await pawl(place, ['sessions', 'export', 'latest', '--format', format]);
      expect(document).toContain('shot.png');
    }
  });

  it('goes with a prompt for a session that exists, and says when an image was shrunk', async () => {
    const server = await strictServer([{ text: 'Hello.' }, { text: 'Wide.' }]);
    const place = makePlace();
    writeFileSync(join(place.folder, 'wide.png'), wide);
    const env = serverEnv(server.url);
    await pawl(place, ['run', 'hello'], { env });
    const { code, stderr } = await pawl(place, ['sessions', 'resume', 'latest', '-a', 'wide.png', 'And this?'], {
      env,
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/wide\.png: image, 1568 × 10 px, shrunk from 9000 × 60 px and \d\.\d MB\./);
  });

  it('is one clear line and exit code 2 for what cannot be attached, and nothing is begun', async () => {
    const place = makePlace({ 'notes.txt': 'text', 'empty.png': '' });
    mkdirSync(join(place.folder, 'pictures'));
    writeFileSync(join(place.folder, 'half.png'), noise.subarray(0, 1000));
    const cases: [args: string[], line: RegExp][] = [
      [['-a', 'none.png', 'x'], /^pawl: -a\/--attach: \S+none\.png cannot be read: there is no such file\.\n$/],
      [['-a', 'pictures', 'x'], /^pawl: -a\/--attach: \S+pictures is not a file\.\n$/],
      [['-a', 'notes.txt', 'x'], /^pawl: -a\/--attach: \S+notes\.txt is neither an image nor a PDF; .*\.\n$/],
      [['-a', 'empty.png', 'x'], /^pawl: -a\/--attach: \S+empty\.png is empty\.\n$/],
      [['-a', 'half.png', 'x'], /^pawl: -a\/--attach: \S+half\.png is damaged: .*\.\n$/],
      [['--continue', '-a', 'half.png'], /^pawl: -a\/--attach goes with a prompt: say what to do with the file\.\n$/],
    ];
    for (const [args, line] of cases) {
      const { code, stdout, stderr } = await pawl(place, ['run', '-m', 'demo', ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(line);
    }
    const listed = await pawl(place, ['sessions', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toEqual([]);
  });

  it('warns when the model is known not to take such a file', async () => {
    const { folder } = makePlace();
    writeFileSync(join(folder, 'a.pdf'), pdfOf({ pages: 1 }));
    writeFileSync(join(folder, 'a.png'), pngOf({ width: 5, height: 5 }));
    const attached = await readAttachments([join(folder, 'a.pdf'), join(folder, 'a.png')]);
    const host = { attach: async () => ({ type: 'file', mediaType: 'x', digest: 'x', sizeBytes: 0 }) as const };
    const warned = async (inputTypes?: string[]) => {
      const lines: string[] = [];
      const info = { contextTokens: 1000, outputTokens: 100, isPriceKnown: false, ...(inputTypes && { inputTypes }) };
      await attachAll(host, attached, { id: 'some/model', info }, (line) => lines.push(line));
      return lines;
    };
    expect(await warned()).toEqual([]);
    expect(await warned(['image/png'])).toEqual(['some/model takes no PDF: of a.pdf it sees the name only.']);
    expect(await warned([])).toHaveLength(2);
  });
});
