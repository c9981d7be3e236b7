import type { Runner } from './effect.ts';

/** Fires at its time; at once if the time has passed already. */
export const runTimer: Runner<'timer'> = async (effect, { ports, signal, report }) => {
  const isTime = await new Promise<boolean>((resolve) => {
    const callOff = ports.clock.at(effect.at, () => resolve(true));
    signal.addEventListener(
      'abort',
      () => {
        callOff();
        resolve(false);
      },
      { once: true },
    );
  });
  if (isTime) await report({ type: 'timer.fired', effect: effect.id });
};
