/** Images as models take them: whole, and small enough. */
import { fileRefusal, megabytes } from './errors.ts';
import { type MediaType, type PixelSize, pixelSizeOf } from './kinds.ts';
import { limits } from './limits.ts';
import type { PreparedFile } from './prepared-file.ts';

export type Sharp = typeof import('sharp').default;

type Image = { bytes: Uint8Array; mediaType: MediaType; name: string };

/**
 * An image as it can be sent: itself, or shrunk by `sharp`. Without it, what need not be shrunk passes unread.
 * @throws `damaged_file`, `file_too_large`.
 */
export async function prepareImage(image: Image, sharp: Sharp | null): Promise<PreparedFile> {
  const { bytes, mediaType, name } = image;
  const size = pixelSizeOf(bytes, mediaType);
  if (size === null) throw damaged(name);
  const { width, height } = size;
  if (width * height > limits.rawImagePixels || bytes.length > limits.rawImageBytes) {
    const most = `${limits.rawImagePixels / 1e6} megapixels and ${megabytes(limits.rawImageBytes)}`;
    throw fileRefusal(
      'file_too_large',
      name,
      `has ${pixels(size)} and ${megabytes(bytes.length)}; an image may have ${most}. Make it smaller.`,
    );
  }
  const fits = Math.max(width, height) <= limits.sidePx && bytes.length <= limits.imageBytes;
  if (sharp === null) {
    if (fits) return { bytes, mediaType, summary: `image, ${pixels(size)}`, isShrunk: false, sheets: 1 };
    throw fileRefusal(
      'file_too_large',
      name,
      `has ${pixels(size)} and ${megabytes(bytes.length)}; a model takes ${limits.sidePx} px a side and ${megabytes(limits.imageBytes)}. Make it smaller, or have it shrunk: npm install sharp`,
    );
  }
  try {
    return fits ? await verified(image, size, sharp) : await shrunk(image, size, sharp);
  } catch (cause) {
    throw damaged(name, cause);
  }
}

/** A provider refuses what it cannot decode, and with it every request that holds it; so it is decoded here first. */
async function verified({ bytes, mediaType }: Image, size: PixelSize, sharp: Sharp): Promise<PreparedFile> {
  await open(bytes, sharp).raw().toBuffer();
  return { bytes, mediaType, summary: `image, ${pixels(size)}`, isShrunk: false, sheets: 1 };
}

/** In its own format where that is small enough (of an animation, the first picture), else as JPEG. Turned as its camera was held. */
async function shrunk({ bytes, mediaType }: Image, size: PixelSize, sharp: Sharp): Promise<PreparedFile> {
  const resized = () =>
    open(bytes, sharp).autoOrient().resize(limits.sidePx, limits.sidePx, { fit: 'inside', withoutEnlargement: true });
  const own = await encode(resized(), mediaType);
  const isSmall = own.data.length <= limits.imageBytes;
  const { data, info, type } = isSmall ? own : await encode(resized().flatten({ background: '#fff' }), 'image/jpeg');
  const summary = `image, ${pixels(info)}, shrunk from ${pixels(size)} and ${megabytes(bytes.length)}`;
  return { bytes: data, mediaType: type, summary, isShrunk: true, sheets: 1 };
}

async function encode(picture: ReturnType<Sharp>, wanted: MediaType) {
  const isLossy = wanted === 'image/jpeg' || wanted === 'image/webp';
  const type: MediaType = isLossy ? wanted : 'image/png';
  const format = wanted === 'image/jpeg' ? 'jpeg' : wanted === 'image/webp' ? 'webp' : 'png';
  const { data, info } = await picture
    .toFormat(format, isLossy ? { quality: 85 } : {})
    .toBuffer({ resolveWithObject: true });
  return { data, info, type };
}

const open = (bytes: Uint8Array, sharp: Sharp) =>
  sharp(bytes, { limitInputPixels: limits.rawImagePixels, failOn: 'error' });

const pixels = ({ width, height }: PixelSize) => `${width} × ${height} px`;

function damaged(name: string, cause?: unknown) {
  return fileRefusal('damaged_file', name, 'is damaged: it cannot be decoded as the image it says it is.', cause);
}
