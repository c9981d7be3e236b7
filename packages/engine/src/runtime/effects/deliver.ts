import { isPawlError, messageOf } from '@pawl/protocol';
import { untilAborted } from '../../waiting.ts';
import type { Runner } from './effect.ts';

/** Refusals that another try would meet as well. */
const finalCodes: ReadonlySet<string> = new Set([
  'no_session',
  'bad_session_id',
  'bad_mail',
  'bad_command',
  'command_id_reused',
  'log_too_new',
  'may_not_write',
]);

/** Delivers a mail to its session. A repeated delivery does no harm: a mail is accepted once. */
export const runDeliver: Runner<'deliver'> = async (effect, { state, ports, signal, report }) => {
  const outgoing = state.mail.outbox.find(({ mail }) => mail === effect.mail);
  if (outgoing === undefined) return;
  const { attempts: _, retryAt: __, to, ...letter } = outgoing;
  try {
    const delivered = await untilAborted(signal, ports.mail.deliver(to, { ...letter, from: state.session }));
    if (delivered === null) return;
    await report({ type: 'mail.delivered', effect: effect.id, mail: effect.mail });
  } catch (error) {
    const isFinal = isPawlError(error) && finalCodes.has(error.code);
    const message = messageOf(error);
    const at = ports.clock.now();
    await report({ type: 'mail.undelivered', effect: effect.id, mail: effect.mail, at, message, isFinal });
  }
};
