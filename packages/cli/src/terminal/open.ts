/** `pawl` at a terminal: the conversation, with what the command line says. */
import { join, resolve } from 'node:path';
import { visible } from '@pawl/engine/readers/visible';
import { openTerminal } from '@pawl/terminal';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { dataFolder } from '../home.ts';
import { showNoticesIn } from '../output/notice.ts';
import type { RunFlags } from '../run/flags.ts';
import { wordsOnly } from '../run/prompt.ts';
import type { Seat } from './seat.ts';

/** Until the person leaves. The first frame stands before anything else is loaded. @throws as `pawl run` does. */
export async function converseAtTerminal(words: readonly string[], flags: RunFlags): Promise<ExitCode> {
  const prompt = wordsOnly(words, flags.prompt);
  const cwd = resolve(flags.cwd ?? '.');
  const risen = Promise.withResolvers<void>();
  let running: Promise<ExitCode> = Promise.resolve(exitCodes.completed);
  try {
    const { session, signal } = await openTerminal({
      cwd,
      stateFolder: join(dataFolder(), 'terminal'),
      prepare: (notice) =>
        new Promise((resolve, reject) => {
          showNoticesIn(notice);
          const seat: Seat = {
            async sit(home) {
              resolve(home);
              await risen.promise;
            },
          };
          running = import('../run/run.ts').then(({ runPrompt }) => runPrompt(prompt, flags, seat));
          running.catch(reject);
        }),
    });
    if (session !== null && signal !== 'SIGHUP') {
      process.stderr.write(`${visible(`Session ${session}. Go on with it: pawl -c, or pawl -r ${session}`)}\n`);
    }
    return signal === null ? exitCodes.completed : exitCodes.cancelled;
  } finally {
    showNoticesIn(null);
    risen.resolve();
    await running;
  }
}
