/** Sends a call back to be judged. */
import type { Call } from './state.ts';

/** Has the call judged again and keeps the approval that it was given. */
export function judgeAgainAsApproved(call: Call): void {
  const approved = call.answer?.decision === 'allow' ? { preview: call.judgement?.preview?.text ?? null } : null;
  judgeAgain(call);
  if (approved !== null) call.approved = approved;
}

export function judgeAgain(call: Call): void {
  call.status = 'proposed';
  call.round += 1;
  call.judgement = null;
  call.approval = null;
  call.answer = null;
}
