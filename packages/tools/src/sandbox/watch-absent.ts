/** Looks after the guarded places that did not exist when a contained command began. */
import { lstatSync } from 'node:fs';
import type { Awaited } from './awaited.ts';
import { recordRun, takeCutOff } from './records.ts';
import { setRight } from './set-aside.ts';

export type AbsenceWatch = {
  /** Aborts when the command must not go on, because it makes again what was moved aside. */
  breach: AbortSignal;
  /** To be called when the command has ended. Sentences about what had to be done. */
  end(): string[];
};

/** How often the places are looked at while the command runs. Four looks at nothing take some ten microseconds. */
const lookMs = 100;

/** `notice` gets at once what is done while the command runs: the person who works beside it may have made the place. */
export function watchAbsentPlaces(
  folder: string,
  awaited: readonly Awaited[],
  notice: (sentence: string) => void,
): AbsenceWatch {
  const stop = new AbortController();
  if (awaited.length === 0) return { breach: stop.signal, end: () => [] };
  const said: string[] = [];
  const unrecord = recordRun({ folder, startedAt: Date.now(), awaited });
  let isEnded = false;
  const look = () => {
    const found = awaited.flatMap((each) => setRight(each, folder) ?? []).filter((each) => !said.includes(each));
    // A person may do so once. Whoever does it again after that tries to be faster than this.
    const isAgain = said.length > 0 && found.length > 0;
    said.push(...found);
    if (isEnded) return;
    for (const sentence of found) notice(`In ${folder}, of a command that runs: ${sentence}`);
    if (!isAgain || stop.signal.aborted) return;
    said.push('It did so again, and was ended.');
    stop.abort();
  };
  const timer = setInterval(look, lookMs).unref();
  return {
    breach: stop.signal,
    end() {
      if (isEnded) return said;
      isEnded = true;
      clearInterval(timer);
      look();
      unrecord();
      return said;
    },
  };
}

/** Looks at what commands of killed processes left. Sentences about what had to be done. */
export function finishInterruptedWatches(): string[] {
  return takeCutOff().flatMap(({ folder, startedAt, endedBefore, awaited }) =>
    awaited
      .filter(({ top }) => {
        const status = lstatSync(top, { throwIfNoEntry: false });
        // What came into being after its end was made by somebody else.
        return status !== undefined && status.ctimeMs >= startedAt - 1000 && status.birthtimeMs <= endedBefore;
      })
      .flatMap((each) => {
        const sentence = setRight(each, folder);
        return sentence === null ? [] : [`In ${folder}, of a command whose Pawl was killed: ${sentence}`];
      }),
  );
}
