import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pdfOf, pngOf } from '@pawl/engine/testing';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../src/files/regular-file.ts';
import { createWorkspace } from './workspace.ts';

describe('M13: read shows images and PDFs themselves', () => {
  it('gives an image with one line about it, whatever its name', async () => {
    const { folder, call, blobs, seen } = createWorkspace();
    const bytes = pngOf({ width: 30, height: 20 });
    mkdirSync(join(folder, 'pictures'));
    writeFileSync(join(folder, 'pictures', 'shot.txt'), bytes);
    const { content, files } = await call('read', { path: 'pictures/shot.txt' });
    expect(content).toBe('pictures/shot.txt: image, 30 × 20 px');
    const digest = digestOf(bytes);
    expect(files).toEqual([
      { type: 'file', mediaType: 'image/png', digest, sizeBytes: bytes.length, name: 'shot.txt' },
    ]);
    expect(blobs.get(digest)).toEqual(bytes);
    expect(seen.get(join(folder, 'pictures', 'shot.txt'))).toBe(digest);
  });

  it('gives a PDF, which may have no byte that is not text', async () => {
    const { folder, call } = createWorkspace();
    const bytes = pdfOf({ pages: 3 });
    expect(bytes.includes(0)).toBe(false);
    writeFileSync(join(folder, 'paper.pdf'), bytes);
    const { content, files } = await call('read', { path: 'paper.pdf' });
    expect(content).toBe('paper.pdf: PDF, 3 pages');
    expect(files).toMatchObject([{ mediaType: 'application/pdf', name: 'paper.pdf' }]);
  });

  it('shrinks an image that is too large, also one larger than a text may be', async () => {
    const { folder, call, blobs, seen } = createWorkspace({ maxFileBytes: 1000 });
    const bytes = pngOf({ width: 2500, height: 500 });
    expect(bytes.length).toBeGreaterThan(1000);
    writeFileSync(join(folder, 'wide.png'), bytes);
    const { content, files = [] } = await call('read', { path: 'wide.png' });
    expect(content).toMatch(/^wide\.png: image, 1568 × 314 px, shrunk from 2500 × 500 px and 0\.\d MB$/);
    expect(blobs.get(files[0]?.digest ?? '')).toHaveLength(files[0]?.sizeBytes ?? -1);
    // What the session has seen is the file, not its smaller picture.
    expect(seen.get(join(folder, 'wide.png'))).toBe(digestOf(bytes));
  });

  it('refuses what no model can take, with a sentence that says what to do', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'half.png'), pngOf({ width: 200, height: 200, isNoise: true }).subarray(0, 5000));
    writeFileSync(join(folder, 'long.pdf'), pdfOf({ pages: 200 }));
    writeFileSync(join(folder, 'huge.pdf'), pdfOf({ pages: 1, padding: 20_000_000 }));
    writeFileSync(join(folder, 'sound'), Buffer.from('RIFF\0\0\0\0WAVE'));
    await expect(call('read', { path: 'half.png' })).rejects.toMatchObject({ code: 'damaged_file' });
    await expect(call('read', { path: 'long.pdf' })).rejects.toMatchObject({
      code: 'file_too_large',
      message: 'long.pdf has 200 pages; a PDF may have 100. Split it, or give the pages that matter.',
    });
    await expect(call('read', { path: 'huge.pdf' })).rejects.toMatchObject({
      code: 'file_too_large',
      message: 'huge.pdf has 20.0 MB; a PDF may have 18.0 MB. Split it, or give the pages that matter.',
    });
    await expect(call('read', { path: 'sound' })).rejects.toMatchObject({ code: 'not_text' });
  });

  it('still shows texts that speak of such files as texts', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a.ts'), "const start = '%PDF-1.7';\n");
    expect((await call('read', { path: 'a.ts' })).content).toBe("     1\tconst start = '%PDF-1.7';");
  });
});
