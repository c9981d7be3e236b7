import type { Effect } from '../effect.ts';
import type { State } from '../state.ts';
import { mailTimer } from './evolve.ts';

/** Deliveries, and the timers between their tries. */
export function owedToMail({ mail: { outbox } }: State): Effect[] {
  return outbox.map(({ mail, attempts, retryAt }) =>
    retryAt === null
      ? { kind: 'deliver', id: `deliver:${mail}`, mail }
      : { kind: 'timer', id: mailTimer(mail, attempts), at: retryAt },
  );
}
