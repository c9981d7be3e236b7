/**
 * What a request can hold of images and PDFs, whatever the model: the strictest limits that providers publish, so that a
 * session can switch models. Sources (November 2026): https://platform.claude.com/docs/en/build-with-claude/vision
 * (8000 × 8000 px, 5 MB as base64, 100 images, 2000 px from the 21st image on, 32 MB a request; shown at 1568 px),
 * https://platform.claude.com/docs/en/build-with-claude/pdf-support (32 MB a request, 100 pages, no encryption),
 * https://developers.openai.com/api/docs/guides/images-vision and https://ai.google.dev/gemini-api/docs/image-understanding
 * (more of everything).
 */
export const limits = {
  /** The long side of an image. More than this costs time and tokens, and shows most models no more. */
  sidePx: 1568,
  /** An image as bytes; as base64 it is a third longer. */
  imageBytes: 3_750_000,
  /** An image to be shrunk, as bytes and when it is decoded: what a small file may unfold to. */
  rawImageBytes: 64_000_000,
  rawImagePixels: 64_000_000,
  /** A PDF. With what else stands in a request, its base64 must stay below 32 MB. */
  pdfBytes: 18_000_000,
  /** Everything that one request may hold: bytes, and images and pages of PDFs together. */
  requestBytes: 21_000_000,
  requestSheets: 100,
} as const;
