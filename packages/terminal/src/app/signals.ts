/** Signals, and a terminal that goes away: the shell gets its terminal back as it was. */
import { writeSync } from 'node:fs';
import type { Screen } from '../screen/screen.ts';

/** What the terminal was told for as long as the conversation is shown, taken back: keys, pastes, cursor, frames. */
export const restoreSequences = '\u001b[?47l\u001b[?2026l\u001b[?2004l\u001b[<u\u001b[>4;0m\u001b[?25h\u001b[0m';

/** `leave` is told why; also when nobody sits at the terminal any more. */
export function watchSignals(leave: (signal: NodeJS.Signals | null) => void): { close(): void } {
  const heard = (['SIGTERM', 'SIGHUP', 'SIGINT'] as const).map((signal) => {
    const hear = () => leave(signal);
    process.on(signal, hear);
    return () => process.off(signal, hear);
  });
  const gone = () => leave('SIGHUP');
  process.stdin.on('end', gone);
  process.stdin.on('error', gone);
  // Whatever ends the process, even a fault in the middle of a frame.
  const restore = () => {
    try {
      if (process.stdin.isTTY) process.stdin.setRawMode(false);
      writeSync(1, restoreSequences);
    } catch {
      // There is no terminal any more.
    }
  };
  process.once('exit', restore);
  return {
    close() {
      for (const forget of heard) forget();
      process.stdin.off('end', gone);
      process.stdin.off('error', gone);
      process.off('exit', restore);
    },
  };
}

/** As the shell's Ctrl-Z: the program stops with its group, and draws itself anew when it goes on. */
export function suspend(screen: Screen): void {
  screen.stop();
  // With nothing to read, the process would end when it goes on.
  const alive = setInterval(() => undefined, 2 ** 30);
  process.once('SIGCONT', () => {
    clearInterval(alive);
    screen.start();
    // A frame that was asked for before the stop was never drawn, and would keep all later ones back.
    screen.renderNow();
  });
  process.kill(0, 'SIGTSTP');
}
