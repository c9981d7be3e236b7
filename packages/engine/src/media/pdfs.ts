/** PDFs as models take them: readable by anybody, and short enough. */
import { messageOf } from '@pawl/protocol';
import { fileRefusal, megabytes } from './errors.ts';
import { limits } from './limits.ts';
import type { PreparedFile } from './prepared-file.ts';

/** @throws `damaged_file` also for one that is encrypted, `file_too_large`. */
export async function preparePdf(bytes: Uint8Array, name: string): Promise<PreparedFile> {
  if (bytes.length > limits.pdfBytes) {
    const size = `${megabytes(bytes.length)}; a PDF may have ${megabytes(limits.pdfBytes)}`;
    throw fileRefusal('file_too_large', name, `has ${size}. Split it, or give the pages that matter.`);
  }
  const { pages, isEncrypted } = await inspectPdf(bytes).catch((cause: unknown) => {
    throw isPasswordMissing(cause) ? locked(name) : damaged(name, cause);
  });
  // Providers refuse one that is encrypted, even where its password is empty.
  if (isEncrypted) throw locked(name);
  if (pages > limits.requestSheets) {
    const count = `${pages} pages; a PDF may have ${limits.requestSheets}`;
    throw fileRefusal('file_too_large', name, `has ${count}. Split it, or give the pages that matter.`);
  }
  return {
    bytes,
    mediaType: 'application/pdf',
    summary: `PDF, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
    isShrunk: false,
    sheets: pages,
  };
}

/** How many pages a PDF has, and whether a key is needed to read them. Rejects for one that cannot be read at all. */
export async function inspectPdf(bytes: Uint8Array): Promise<{ pages: number; isEncrypted: boolean }> {
  const { getDocumentProxy } = await import('unpdf');
  // The reader keeps what it is given, so it gets a copy. It would write its warnings to standard output.
  const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
  try {
    await document.getPage(1);
    const { info } = await document.getMetadata();
    const filter = 'EncryptFilterName' in info ? info.EncryptFilterName : null;
    return { pages: document.numPages, isEncrypted: filter !== null };
  } finally {
    await document.loadingTask.destroy();
  }
}

function isPasswordMissing(error: unknown): boolean {
  return error instanceof Error && error.name === 'PasswordException';
}

function locked(name: string) {
  return fileRefusal('damaged_file', name, 'is encrypted, and models take no such PDF. Save it without protection.');
}

function damaged(name: string, cause: unknown) {
  return fileRefusal('damaged_file', name, `is damaged: it cannot be read as a PDF (${messageOf(cause)}).`, cause);
}
