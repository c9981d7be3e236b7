/** Standard output that may be closed early, as `head` does, and may be slow. */

export type Output = {
  /** Resolves when there is room for more, at once as a rule; also when nobody reads any more. */
  write(text: string): Promise<void>;
  isClosed(): boolean;
  /** Everything written has gone out, or never will. */
  flush(): Promise<void>;
};

type Sink = Pick<NodeJS.WriteStream, 'write' | 'on' | 'once' | 'off' | 'destroyed'>;

/** `onClosed` is called once, when the reader has gone. */
export function openOutput(stream: Sink, onClosed: () => void = () => undefined): Output {
  let isClosed = false;
  let wake: () => void = () => undefined;
  const close = () => {
    if (!isClosed) onClosed();
    isClosed = true;
    wake();
  };
  // Whatever the error is, a pipe that is gone or a full disk: nothing more can be written there.
  stream.on('error', close);
  stream.on('close', close);
  return {
    isClosed: () => isClosed,
    write(text) {
      if (isClosed || stream.destroyed || stream.write(text)) return Promise.resolve();
      return new Promise((resolve) => {
        wake = resolve;
        stream.once('drain', resolve);
      });
    },
    flush() {
      if (isClosed || stream.destroyed) return Promise.resolve();
      return new Promise((resolve) => {
        wake = resolve;
        stream.write('', () => resolve());
      });
    },
  };
}
