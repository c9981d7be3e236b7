import type {
  Actor,
  Answer,
  AnswerOutcome,
  EventData,
  JsonObject,
  Judgement,
  Question,
  ToolEffect,
  ToolResult,
} from '@pawl/protocol';

/**
 * Where a call stands. `proposed` waits to be judged, `deferred` for earlier calls, `asking` for a person's approval,
 * `questioned` for a person's answer; `refused` and `allowed` are decided; `running` has its intent in the log.
 */
type CallStatus = 'proposed' | 'deferred' | 'asking' | 'questioned' | 'refused' | 'allowed' | 'running' | 'finished';

export type Call = {
  id: string;
  tool: string;
  input: JsonObject;
  malformed: string | null;
  status: CallStatus;
  /** How often it was sent to be judged; part of the judge effect's id. */
  round: number;
  /** The effect and the paths of the call, once it is judged. */
  claims: { effect: ToolEffect; paths: readonly string[] } | null;
  behind: readonly string[];
  judgement: Judgement | null;
  /** The open request for an approval, if there is one. */
  approval: { round: number; expiresAt: number | null; isExpired: boolean } | null;
  /** A person allowed these arguments and saw this preview; if judging again shows the same preview, the call is not asked about again. */
  approved: { preview: string | null } | null;
  /** Rules or the mode have changed since it was judged. */
  isStale: boolean;
  answer: { decision: EventData['approval.resolved']['decision']; reason: string | null; by: Actor } | null;
  /** What approvers changed or remarked; the model is told with the result. */
  remarks: string[];
  /** The questions that a person is asked before the call runs, and the reply. */
  questions: {
    asked: readonly Question[];
    round: number;
    expiresAt: number | null;
    isExpired: boolean;
    reply: { outcome: AnswerOutcome; answers: readonly Answer[] | null; reason: string | null; by: Actor } | null;
  } | null;
  /** The process that ran it is gone. */
  isInterrupted: boolean;
  result: ToolResult | null;
};

export type TurnCalls = {
  /** Of the step that runs. */
  calls: Call[];
  /** Steps in a row in which no call was right. */
  malformedRounds: number;
  /** Finished calls of the turn whose results the model still sees, in the order in which they finished. */
  doneCalls: DoneCall[];
};

/** A finished call, as far as the check for repetitions needs it. */
export type DoneCall = Pick<Call, 'id' | 'tool' | 'input'> & {
  effect: ToolEffect | null;
  /** Status and content of its result. */
  status: string;
  content: string;
  /** Digests of the files that it touches, as the session knew them when it finished. */
  digests: { readonly [path: string]: string | null };
  seen: Judgement['seen'];
};

export const noCalls = (): TurnCalls => ({ calls: [], malformedRounds: 0, doneCalls: [] });

/** The id of the effect that fires when an approval expires. */
export const approvalTimer = (call: Pick<Call, 'id'>, round: number) => `timer:approval:${call.id}:${round}`;

/** The id of the effect that fires when the time for an answer to a question is up. */
export const questionTimer = (call: Pick<Call, 'id'>, round: number) => `timer:question:${call.id}:${round}`;

/** The content of a result, followed by what the model must know about how the call came to run. */
export function withRemarks({ remarks }: Pick<Call, 'remarks'>, content: string): string {
  return [content, ...remarks.map((remark) => `(${remark})`)].filter((line) => line !== '').join('\n');
}
