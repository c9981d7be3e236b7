import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { messageOf, PawlError } from '@pawl/protocol';
import type { ReadablePage } from './text.ts';
import type { RenderRequest } from './worker.ts';

const mostMemoryMb = 512;

/**
 * A page made readable, in a thread that is ended when it takes too long or too much memory; what is too much for
 * Markdown still gives its plain text. `isPlain` says that it came to that.
 * @throws `unreadable_page`; the signal's reason when that aborts.
 */
export async function renderPage(
  request: RenderRequest,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<ReadablePage & { isPlain: boolean }> {
  try {
    return { ...(await inThread(request, limitMs, signal)), isPlain: false };
  } catch (error) {
    signal.throwIfAborted();
    if (request.format === 'text') throw unreadable(error);
  }
  try {
    return { ...(await inThread({ ...request, format: 'text' }, limitMs, signal)), isPlain: true };
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(error);
  }
}

const unreadable = (cause: unknown) =>
  new PawlError('unreadable_page', `The page cannot be made readable (${messageOf(cause)}). Fetch it as raw.`, {
    cause,
  });

async function inThread(workerData: RenderRequest, limitMs: number, signal: AbortSignal): Promise<ReadablePage> {
  const { Worker } = await import('node:worker_threads');
  // By the package's name, because bundled into another file this one no longer lies beside it.
  const entry = pathToFileURL(createRequire(import.meta.url).resolve('@pawl/tools/page-worker'));
  const worker = new Worker(entry, {
    workerData,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
  });
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  try {
    return await new Promise<ReadablePage>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`it took more than ${limitMs} ms`)), limitMs);
      onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`its thread ended with code ${code}`)));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // What it does after this does not count.
    worker.on('error', () => undefined);
    await worker.terminate();
  }
}
