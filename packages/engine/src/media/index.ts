/** Images and PDFs, made fit for models. Pure but for the decoders, which are loaded when they are needed. */

export { type MediaType, mediaTypeOf, signatureBytes } from './kinds.ts';
export { limits } from './limits.ts';
export { inspectPdf } from './pdfs.ts';
export { type PreparedFile, prepareFile } from './prepare.ts';
