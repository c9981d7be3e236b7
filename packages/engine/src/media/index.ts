/** Images and PDFs, made fit for models. Pure but for the decoders, which are loaded when they are needed. */

export { type MediaType, mediaTypeOf, signatureBytes } from './kinds.ts';
export { limits } from './limits.ts';
export { inspectPdf } from './pdfs.ts';
export { prepareFile } from './prepare.ts';
export type { PreparedFile } from './prepared-file.ts';
