/** What waits for a person's answer in a session and its tasks. */
import type { Client, PendingApproval, PendingQuestions, SessionView } from '@pawl/protocol';
import { isTaskEnded, PawlError } from '@pawl/protocol';
import { usageError } from '../usage-error.ts';

export type Pending = { session: string; call: string } & (
  | { kind: 'approval'; asked: PendingApproval }
  | { kind: 'question'; asked: PendingQuestions }
);

/** Of the session first, then of its tasks in their order. */
export async function pendingIn(client: Pick<Client, 'view'>, session: string): Promise<Pending[]> {
  const view = await client.view(session);
  const own: Pending[] = [
    ...view.approvals.map((asked): Pending => ({ session, call: asked.call, kind: 'approval', asked })),
    ...view.questions.map((asked): Pending => ({ session, call: asked.call, kind: 'question', asked })),
  ];
  const below: Pending[] = [];
  for (const task of view.tasks.filter(isOpen)) {
    below.push(...(await pendingIn(client, task.session).catch(() => [])));
  }
  return [...own, ...below];
}

const isOpen = ({ status }: SessionView['tasks'][number]) => status !== 'queued' && !isTaskEnded(status);

/** The one that is meant: by its call, or the only one. @throws `no_approval`, `usage`. */
export function choosePending(
  all: readonly Pending[],
  { session, call, kind }: { session: string; call: string | undefined; kind: Pending['kind'] },
): Pending {
  const word = kind === 'approval' ? 'approval' : 'answer';
  const waiting = all.filter((pending) => pending.kind === kind);
  const meant = call === undefined ? waiting : waiting.filter((pending) => pending.call === call);
  const [found, ...others] = meant;
  const list = waiting.map((pending) => `${pending.session} ${pending.call}`).join(', ');
  if (found === undefined) {
    const choices = waiting.length === 0 ? '' : ` There are: ${list}.`;
    const which = call === undefined ? 'Nothing' : `No call ${call}`;
    throw new PawlError('no_approval', `${which} of session ${session} waits for an ${word}.${choices}`);
  }
  if (others.length === 0) return found;
  throw usageError(`Several calls wait for an ${word}: ${list}. Say which: the session and the call.`);
}
