/** What a file is and how large an image is, read from its first bytes. Names and claims count for nothing. */

/** What models take besides text. */
export type MediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'application/pdf';

/** Width and height as stored, in pixels. */
export type PixelSize = { width: number; height: number };

const signatures: { type: MediaType; bytes: readonly number[] }[] = [
  { type: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', bytes: [...Buffer.from('GIF87a')] },
  { type: 'image/gif', bytes: [...Buffer.from('GIF89a')] },
  { type: 'application/pdf', bytes: [...Buffer.from('%PDF-')] },
];

/** Bytes from which a type can be told. */
export const signatureBytes = 12;

/** Null for what no model takes. */
export function mediaTypeOf(bytes: Uint8Array): MediaType | null {
  const found = signatures.find((signature) => signature.bytes.every((byte, index) => bytes[index] === byte));
  if (found !== undefined) return found.type;
  return wordAt(bytes, 0) === 'RIFF' && wordAt(bytes, 8) === 'WEBP' ? 'image/webp' : null;
}

/** The size of an image, or null where its header does not say. Source: each format's specification. */
export function pixelSizeOf(bytes: Uint8Array, type: MediaType): PixelSize | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = readSize(view, type);
    return size !== null && size.width > 0 && size.height > 0 ? size : null;
  } catch (error) {
    // The file ends within its header.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readSize(view: Buffer, type: MediaType): PixelSize | null {
  switch (type) {
    case 'image/png':
      if (wordAt(view, 12) !== 'IHDR') return null;
      return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
    case 'image/gif':
      return { width: view.readUInt16LE(6), height: view.readUInt16LE(8) };
    case 'image/jpeg':
      return jpegSize(view);
    case 'image/webp':
      return webpSize(view);
    case 'application/pdf':
      return null;
    default:
      return type satisfies never;
  }
}

/** From the frame header, which comes after segments of any number and length. */
function jpegSize(view: Buffer): PixelSize | null {
  for (let at = 2; ; ) {
    if (view.readUInt8(at) !== 0xff) return null;
    const marker = view.readUInt8(at + 1);
    // Fill bytes, and markers that stand alone.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { width: view.readUInt16BE(at + 7), height: view.readUInt16BE(at + 5) };
    } else {
      const length = view.readUInt16BE(at + 2);
      if (length < 2) return null;
      at += 2 + length;
    }
  }
}

function webpSize(view: Buffer): PixelSize | null {
  switch (wordAt(view, 12)) {
    case 'VP8 ':
      return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = view.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

function wordAt(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}
