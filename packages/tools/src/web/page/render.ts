import { createRequire } from 'node:module';
import { messageOf, PawlError } from '@pawl/protocol';
import type { ReadablePage } from './text.ts';
import type { RenderRequest } from './worker.ts';

const maxMemoryMb = 512;
/** Each takes a processor and up to so much memory, so many pages at once take turns. */
const maxAtOnce = 2;

/**
 * A page made readable, in a process that is ended when it takes too long or too much memory; what is too much for
 * Markdown still gives its plain text. `isPlain` says that it came to that.
 * @throws `unreadable_page`; the signal's reason when that aborts.
 */
export async function renderPage(
  request: RenderRequest,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<ReadablePage & { isPlain: boolean }> {
  try {
    return { ...(await inProcess(request, limitMs, signal)), isPlain: false };
  } catch (error) {
    signal.throwIfAborted();
    if (request.format === 'text') throw unreadable(error);
  }
  try {
    return { ...(await inProcess({ ...request, format: 'text' }, limitMs, signal)), isPlain: true };
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(error);
  }
}

const unreadable = (cause: unknown) =>
  new PawlError('unreadable_page', `The page cannot be made readable (${messageOf(cause)}). Fetch it as raw.`, {
    cause,
  });

/** Not a thread: one that runs out of memory in the wrong place takes the whole process with it. */
async function inProcess(request: RenderRequest, limitMs: number, signal: AbortSignal): Promise<ReadablePage> {
  const { fork } = await import('node:child_process');
  // By the package's name, because bundled into another file this one no longer lies beside it.
  const entry = createRequire(import.meta.url).resolve('@pawl/tools/page-worker');
  await takeTurn(signal);
  let child: ReturnType<typeof fork>;
  try {
    child = fork(entry, {
      env: {},
      execArgv: [`--max-old-space-size=${maxMemoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  } catch (error) {
    passTurn();
    throw error;
  }
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  try {
    return await new Promise<ReadablePage>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`it took more than ${limitMs} ms`)), limitMs);
      onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      child.once('message', (page) => resolve(page as ReadablePage));
      child.once('error', reject);
      child.once('exit', (code, by) => reject(new Error(`its process ended with ${by ?? `code ${code}`}`)));
      child.send(request, (error) => error !== null && reject(error));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // What it does after this does not count.
    child.on('error', () => undefined);
    child.kill('SIGKILL');
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) passTurn();
    else child.once('exit', passTurn);
  }
}

let running = 0;
const waiting = new Set<() => void>();

/** Resolves when a page may be worked on. @throws the signal's reason when that aborts before. */
async function takeTurn(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (running < maxAtOnce) {
    running += 1;
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      waiting.delete(begin);
      reject(signal.reason);
    };
    const begin = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    waiting.add(begin);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** To the one that waits for longest. */
function passTurn(): void {
  const [next] = waiting;
  if (next === undefined) running -= 1;
  else {
    waiting.delete(next);
    next();
  }
}
