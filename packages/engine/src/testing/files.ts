/** Images and PDFs for tests, made without any library. */
import { crc32, deflateSync } from 'node:zlib';

/** A PNG of one colour, or of noise: then it cannot be compressed, and has four bytes a pixel. */
export function pngOf({
  width,
  height,
  isNoise = false,
}: {
  width: number;
  height: number;
  isNoise?: boolean;
}): Buffer {
  const row = 1 + width * 4;
  const rows = Buffer.alloc(height * row, 0x80);
  let seed = 1;
  for (let at = 0; at < rows.length; at++) {
    if (at % row === 0) rows[at] = 0;
    else if (isNoise) {
      seed = Math.imul(seed, 1_103_515_245) + 12_345;
      rows[at] = seed >>> 24;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a channel, RGBA.
  header.set([8, 6], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(rows, { level: 1 });
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** A PDF of empty pages. `trailer` is added to its trailer, `padding` makes it so many bytes longer. */
export function pdfOf({
  pages,
  trailer = '',
  padding = 0,
}: {
  pages: number;
  trailer?: string;
  padding?: number;
}): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>'),
  ];
  let text = `%PDF-1.7\n%${'x'.repeat(padding)}\n`;
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const [index, object] of objects.entries()) {
    table += `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const start = text.length;
  text += `${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
