/** Sends a call to the judge once more. */
import type { Call } from './state.ts';

/** To the judge again, with the leave that it was given before. */
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
