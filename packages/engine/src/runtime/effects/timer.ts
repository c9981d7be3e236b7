import type { Runner } from './effect.ts';

/** Rings at its time. A time that passed while nobody was there rings at once. */
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
