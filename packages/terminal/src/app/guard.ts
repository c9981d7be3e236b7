/** A small process that gives the terminal back when this one is killed and cannot do so itself. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { restoreSequences } from './signals.ts';

export type Guard = {
  /** This process has given the terminal back itself. */
  dismiss(): void;
};

/**
 * It reads a pipe: a word means that all is well, the pipe's end without one that this process is gone. Then keys, pastes
 * and the cursor are as before, and so is the line discipline, unless somebody has set it meanwhile, as a shell does for
 * its prompt.
 */
const script = `trap '' INT TERM HUP TSTP TTOU TTIN
read -r word && exit 0
printf '%s' "$1" >&3
case $(stty -a <&3) in *-opost*) stty opost isig icanon echo icrnl ixon iexten <&3 ;; esac`;

/** Where there is no shell or no terminal of its own, nothing is guarded. */
export function openGuard(): Guard {
  try {
    const terminal = openSync('/dev/tty', 'r+');
    const child = spawn('/bin/sh', ['-c', script, 'sh', restoreSequences], {
      stdio: ['pipe', 'ignore', 'ignore', terminal],
    });
    closeSync(terminal);
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    child.unref();
    return { dismiss: () => void child.stdin?.end('well\n') };
  } catch {
    return { dismiss: () => undefined };
  }
}
