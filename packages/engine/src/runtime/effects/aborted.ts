/** The result of `work`, or null as soon as `signal` aborts, whatever `work` does then. */
export async function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value | null> {
  let leave: () => void = () => undefined;
  const aborted = new Promise<null>((resolve) => {
    leave = () => resolve(null);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
    // What an abandoned call still throws was answered for by the abort.
    work.catch(() => undefined);
  }
}
