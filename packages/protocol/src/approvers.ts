import type { Identity } from './client.ts';
import type { Approvers } from './types.ts';

/** Whether this client is one of those who are asked, and so may answer: a person, and of the group if there is one. */
export function mayAnswer({ kind, id }: Identity, approvers: Approvers | undefined): boolean {
  if (kind !== 'human') return false;
  return approvers === undefined || approvers.members.some((member) => member === '*' || member === id);
}
