/** Ctrl-C and its like: the first cancels the turn, the second leaves at once. */
import { exitCodes } from '../exit-codes.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type Interrupts = {
  /** As if the user had pressed Ctrl-C. */
  interrupt(reason: string): void;
  isInterrupted(): boolean;
  close(): void;
};

/** `onInterrupt` is called once. Leaving at once is safe: what is in the log is whole, and the next start finishes it. */
export function listenForInterrupts(onInterrupt: (reason: string) => void, leave: () => void): Interrupts {
  let isInterrupted = false;
  const interrupt = (reason: string) => {
    if (isInterrupted) {
      leave();
      process.exit(exitCodes.cancelled);
    }
    isInterrupted = true;
    onInterrupt(reason);
  };
  const onSignal = (signal: NodeJS.Signals) => interrupt(reasons[signal] ?? signal);
  for (const signal of signals) process.on(signal, onSignal);
  return {
    interrupt,
    isInterrupted: () => isInterrupted,
    close() {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

const reasons: Partial<Record<NodeJS.Signals, string>> = {
  SIGINT: 'Ctrl-C',
  SIGTERM: 'the process was asked to end',
  SIGHUP: 'the terminal was closed',
};
