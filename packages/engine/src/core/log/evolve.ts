/** How far the log is, and which commands it has accepted. */
import type { DurableEvent } from '@pawl/protocol';
import type { State } from '../state.ts';

export function evolveLog(state: State, event: DurableEvent): void {
  state.session = event.session;
  state.seq = event.seq;
  state.now = event.at;
  const { command, digest = '' } = event.by;
  if (command !== undefined) state.commands.set(command, { digest, seq: event.seq });
  // A fork does not know the commands of its original.
  if (event.type === 'session.forked') state.commands.clear();
}
