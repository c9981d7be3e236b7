import { createHash } from 'node:crypto';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { prepareImage } from '../../src/media/images.ts';
import { limits, mediaTypeOf, prepareFile } from '../../src/media/index.ts';
import { pixelSizeOf } from '../../src/media/kinds.ts';
import { pdfOf, pngOf } from '../../src/testing/index.ts';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#a53' } });

describe('M13: what a file is, is read from its bytes', () => {
  it('knows the images and documents that models take, and nothing else', async () => {
    expect(mediaTypeOf(pngOf({ width: 1, height: 1 }))).toBe('image/png');
    expect(mediaTypeOf(await picture(3, 2).jpeg().toBuffer())).toBe('image/jpeg');
    expect(mediaTypeOf(await picture(3, 2).gif().toBuffer())).toBe('image/gif');
    expect(mediaTypeOf(await picture(3, 2).webp().toBuffer())).toBe('image/webp');
    expect(mediaTypeOf(pdfOf({ pages: 1 }))).toBe('application/pdf');
    for (const other of ['', 'hello', '<svg/>', 'RIFF1234WAVE', 'BM1234', '\x89PNG', ' %PDF-1.7', 'GIF88a']) {
      expect(mediaTypeOf(Buffer.from(other, 'latin1'))).toBeNull();
    }
  });

  it('finds the size of an image of any format without decoding it', async () => {
    const side = fc.integer({ min: 1, max: 300 });
    await fc.assert(
      fc.asyncProperty(side, side, async (width, height) => {
        const image = picture(width, height);
        const all = await Promise.all([
          image.clone().png().toBuffer(),
          image
            .clone()
            .jpeg()
            .withExif({ IFD0: { Copyright: 'nobody' } })
            .toBuffer(),
          image.clone().jpeg({ progressive: true }).toBuffer(),
          image.clone().gif().toBuffer(),
          image.clone().webp().toBuffer(),
          image.clone().webp({ lossless: true }).toBuffer(),
          image.clone().ensureAlpha(0.5).webp().toBuffer(),
        ]);
        for (const bytes of all) {
          const type = mediaTypeOf(bytes);
          expect(type).not.toBeNull();
          if (type !== null) expect(pixelSizeOf(bytes, type)).toEqual({ width, height });
        }
      }),
      { numRuns: 10 },
    );
  });

  it('never throws anything but its own errors, whatever the bytes', async () => {
    const whole = [
      pngOf({ width: 4, height: 4 }),
      await picture(4, 4).jpeg().toBuffer(),
      await picture(4, 4).gif().toBuffer(),
      await picture(4, 4).webp().toBuffer(),
      pdfOf({ pages: 2 }),
    ];
    const codes = new Set<string>();
    const damage = fc.record({
      file: fc.constantFrom(...whole),
      cut: fc.integer({ min: 0, max: 1000 }),
      changes: fc.array(fc.tuple(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ file, cut, changes }) => {
        const bytes = Buffer.from(file.subarray(0, Math.ceil((file.length * cut) / 1000)));
        for (const [place, value] of changes)
          if (bytes.length > 0) bytes[Math.floor((bytes.length * place) / 1000)] = value;
        const outcome = await prepareFile(bytes).catch((error: { code: string }) => error.code);
        if (typeof outcome === 'string') codes.add(outcome);
        else expect(outcome.mediaType).toBe(mediaTypeOf(outcome.isShrunk ? outcome.bytes : bytes));
      }),
      { numRuns: 150 },
    );
    expect(codes).toContain('damaged_file');
    for (const code of codes) {
      expect(['damaged_file', 'unknown_file_type', 'empty_file', 'file_too_large']).toContain(code);
    }
  });
});

describe('M13: an image is made to fit', () => {
  it('leaves one that fits as it is, to the byte', async () => {
    const bytes = pngOf({ width: 1568, height: 20 });
    const fit = await prepareFile(bytes, 'a.png');
    expect(fit.bytes).toBe(bytes);
    expect(fit).toMatchObject({ mediaType: 'image/png', summary: 'image, 1568 × 20 px', isShrunk: false, sheets: 1 });
  });

  it('shrinks one of too many pixels, keeps its shape and format, and says so', async () => {
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const fit = await prepareFile(await picture(4000, 2000).toFormat(format).toBuffer());
      expect(fit.mediaType).toBe(`image/${format}`);
      expect(pixelSizeOf(fit.bytes, fit.mediaType)).toEqual({ width: 1568, height: 784 });
      expect(fit.summary).toMatch(/^image, 1568 × 784 px, shrunk from 4000 × 2000 px and \d+\.\d MB$/);
      expect((await prepareFile(fit.bytes)).bytes).toBe(fit.bytes);
    }
  });

  it('makes one of too many bytes a JPEG, where its own format stays too large', async () => {
    const bytes = pngOf({ width: 1400, height: 1400, isNoise: true });
    expect(bytes.length).toBeGreaterThan(limits.imageBytes);
    const fit = await prepareFile(bytes);
    expect(fit.mediaType).toBe('image/jpeg');
    expect(fit.bytes.length).toBeLessThanOrEqual(limits.imageBytes);
    expect(pixelSizeOf(fit.bytes, fit.mediaType)).toEqual({ width: 1400, height: 1400 });
  });

  it('shrinks an animation to its first picture, a photo as its camera was held, a strip to one pixel', async () => {
    expect(await prepareFile(await picture(2000, 100).gif().toBuffer())).toMatchObject({ mediaType: 'image/png' });
    const turned = await prepareFile(await picture(3000, 1000).withMetadata({ orientation: 6 }).jpeg().toBuffer());
    const size = pixelSizeOf(turned.bytes, turned.mediaType);
    expect(size).toEqual({ width: 523, height: 1568 });
    const strip = await prepareFile(await picture(10_000, 1).png().toBuffer());
    expect(pixelSizeOf(strip.bytes, strip.mediaType)).toEqual({ width: 1568, height: 1 });
  });

  it('refuses what would unfold to more than memory should hold, before it is decoded', async () => {
    const bomb = pngOf({ width: 10, height: 10 });
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    await expect(prepareFile(bomb, 'bomb.png')).rejects.toMatchObject({
      code: 'file_too_large',
      message: expect.stringMatching(/^bomb\.png has 60000 × 60000 px .* 64 megapixels .* Make it smaller\.$/),
    });
  });

  it('refuses one that is cut off or damaged, so that no provider does', async () => {
    const png = pngOf({ width: 200, height: 200, isNoise: true });
    const jpeg = await picture(200, 200).jpeg().toBuffer();
    const flipped = Buffer.from(png);
    flipped.fill(0xff, 500, 900);
    for (const bytes of [png.subarray(0, png.length / 2), jpeg.subarray(0, jpeg.length / 2), flipped]) {
      await expect(prepareFile(bytes, 'a')).rejects.toMatchObject({ code: 'damaged_file' });
    }
  });

  it('names what is wrong with what is no image', async () => {
    await expect(prepareFile(Buffer.alloc(0), 'a.png')).rejects.toMatchObject({
      code: 'empty_file',
      message: 'a.png is empty.',
    });
    await expect(prepareFile(Buffer.from('text'), 'a.png')).rejects.toMatchObject({
      code: 'unknown_file_type',
      message: 'a.png is neither an image nor a PDF; models take images (PNG, JPEG, GIF, WebP) and PDFs.',
    });
  });

  it('without the library that shrinks, passes what fits and says what to install for the rest', async () => {
    const small = pngOf({ width: 100, height: 100 });
    const image = { bytes: small, mediaType: 'image/png' as const, name: 'a.png' };
    expect((await prepareImage(image, null)).bytes).toBe(small);
    const large = { ...image, bytes: pngOf({ width: 2000, height: 10 }) };
    await expect(prepareImage(large, null)).rejects.toMatchObject({
      code: 'file_too_large',
      message: expect.stringContaining('npm install sharp'),
    });
  });
});

describe('M13: a PDF is one that every model can read', () => {
  it('counts its pages', async () => {
    const bytes = pdfOf({ pages: 12 });
    const fit = await prepareFile(bytes);
    expect(fit.bytes).toBe(bytes);
    expect(fit).toMatchObject({ mediaType: 'application/pdf', summary: 'PDF, 12 pages', sheets: 12 });
    expect(Buffer.compare(bytes, pdfOf({ pages: 12 }))).toBe(0);
  });

  it('refuses one of too many pages or bytes, and says how many it may have', async () => {
    await expect(prepareFile(pdfOf({ pages: 101 }), 'a.pdf')).rejects.toMatchObject({
      code: 'file_too_large',
      message: 'a.pdf has 101 pages; a PDF may have 100. Split it, or give the pages that matter.',
    });
    await expect(prepareFile(pdfOf({ pages: 1, padding: limits.pdfBytes }))).rejects.toMatchObject({
      code: 'file_too_large',
    });
  });

  it('refuses one that is damaged, or encrypted, with a password or without', async () => {
    const cut = pdfOf({ pages: 3 }).subarray(0, 40);
    await expect(prepareFile(cut, 'a.pdf')).rejects.toMatchObject({ code: 'damaged_file' });
    for (const hasPassword of [true, false]) {
      await expect(prepareFile(encryptedPdf(hasPassword), 'a.pdf')).rejects.toMatchObject({
        code: 'damaged_file',
        message: 'a.pdf is encrypted, and models take no such PDF. Save it without protection.',
      });
    }
  });
});

/** With 40-bit RC4, the oldest way there is. Source: ISO 32000-1, 7.6.3. */
function encryptedPdf(hasPassword: boolean): Buffer {
  const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
  const owner = Buffer.alloc(32, 1);
  const id = Buffer.alloc(16, 2);
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(-4);
  const key = createHash('md5').update(padding).update(owner).update(permissions).update(id).digest().subarray(0, 5);
  const user = hasPassword ? Buffer.alloc(32, 3) : rc4(key, padding);
  const hex = (bytes: Buffer) => `<${bytes.toString('hex')}>`;
  const encrypt = `<< /Filter /Standard /V 1 /R 2 /O ${hex(owner)} /U ${hex(user)} /P -4 >>`;
  return pdfOf({ pages: 1, trailer: `/ID [${hex(id)} ${hex(id)}] /Encrypt ${encrypt} ` });
}

function rc4(key: Buffer, data: Buffer): Buffer {
  const box = Array.from({ length: 256 }, (_, index) => index);
  const swap = (one: number, other: number) => {
    [box[one], box[other]] = [box[other] ?? 0, box[one] ?? 0];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (box[i] ?? 0) + (key[i % key.length] ?? 0)) % 256;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) % 256;
      j = (j + (box[i] ?? 0)) % 256;
      swap(i, j);
      return byte ^ (box[((box[i] ?? 0) + (box[j] ?? 0)) % 256] ?? 0);
    }),
  );
}
