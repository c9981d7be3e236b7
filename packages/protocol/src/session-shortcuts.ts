import type { SessionClient } from './client.ts';
import type { CommandInput, CommandType, Receipt } from './types.ts';

type Send = <Type extends CommandType>(type: Type, data: CommandInput[Type]) => Promise<Receipt>;
type Shortcut = 'cancel' | 'approve' | 'deny' | 'answer' | 'decline' | 'configure';

/** The functions of a session's client that only send one command, for clients in the same process and remote ones alike. */
export function sessionShortcuts(send: Send): Pick<SessionClient, Shortcut> {
  const because = (reason: string | undefined) => reason !== undefined && { reason };
  return {
    cancel: (reason) => send('turn.cancel', { ...because(reason) }),
    approve: (call, answer = {}) => send('approval.resolve', { call, decision: 'allow', ...answer }),
    deny: (call, reason) => send('approval.resolve', { call, decision: 'deny', ...because(reason) }),
    answer: (call, answers) => send('question.answer', { call, answers }),
    decline: (call, reason) => send('question.decline', { call, ...because(reason) }),
    configure: (changes) => send('session.configure', changes),
  };
}
