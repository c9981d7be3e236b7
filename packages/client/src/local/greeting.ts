/** What two processes say before anything else, so that the one that drives knows for whom the other acts. */

/** From whoever listens. `proof` is a file that the other is to hold open; null where that proves nothing. */
export type Hello = { type: 'hello'; protocolVersion: number; pid: number; proof: string | null };
/** From whoever connects. `call` is what it says of itself. */
export type Reply = { type: 'hello'; pid: number; call: string | null };
/** From whoever listens: what the other is taken for. */
export type Welcome = { type: 'welcome'; by: { kind: 'human' | 'agent'; id: string } };

export function isReply(value: unknown): value is Reply {
  if (typeof value !== 'object' || value === null) return false;
  const { type, pid, call } = value as Partial<Reply>;
  return type === 'hello' && Number.isInteger(pid) && (call === null || typeof call === 'string');
}
