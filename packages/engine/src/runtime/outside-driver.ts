/** Writes a command into the log of a session that nobody drives, without starting its effects. */
import type { Actor, Command, DurableEvent, EventBody, Receipt } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { canonicalJson, decide, evolve, initialState, settle } from '../core/index.ts';
import type { Clock, SessionLog } from '../ports.ts';
import { fingerprint, systemClock } from './ids.ts';

/**
 * The next driver of the session goes on from there.
 * @throws `session_locked` while somebody drives it, `no_session`, and the refusal.
 * @example
 * await writeCommand(log, { id: createId(), session, by: { kind: 'human', id: 'me' }, type: 'session.archive', data: {} });
 */
export async function writeCommand(log: SessionLog, command: Command, clock: Clock = systemClock): Promise<Receipt> {
  const { session, type, data, by, id } = command;
  const claim = await log.claim(session);
  try {
    const events = await log.read(session);
    if (events.length === 0) {
      throw new PawlError('no_session', `There is no session ${session}. List them with: pawl sessions list`);
    }
    const state = initialState();
    for (const event of events) evolve(state, event);
    const digest = fingerprint(canonicalJson({ type, data }));
    const decision = decide(state, { ...command, digest });
    if (decision.type === 'refused') throw new PawlError(decision.code, decision.message);
    if (decision.type === 'duplicate') return { seq: decision.seq, isDuplicate: true };
    const record: DurableEvent[] = [];
    const take = (bodies: readonly EventBody[], actor: Actor) => {
      for (const body of bodies) {
        const event = { seq: state.seq + 1, at: clock.now(), session, ...body, by: actor };
        evolve(state, event);
        record.push(event);
      }
    };
    take(decision.events, { ...by, command: id, digest });
    for (let next = settle(state); next.length > 0; next = settle(state)) take(next, { kind: 'engine', id: 'pawl' });
    await log.append(session, events.length, record);
    return { seq: state.seq, isDuplicate: false };
  } finally {
    await claim.release();
  }
}
