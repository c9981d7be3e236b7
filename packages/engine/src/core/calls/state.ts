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
 * Where a call stands. `proposed` waits to be judged, `deferred` for earlier calls, `asking` for a person's leave,
 * `questioned` for a person's answer; `refused` and `allowed` are decided; `running` has its intent in the log.
 */
type CallStatus = 'proposed' | 'deferred' | 'asking' | 'questioned' | 'refused' | 'allowed' | 'running' | 'finished';

export type Call = {
  id: string;
  tool: string;
  input: JsonObject;
  malformed: string | null;
  status: CallStatus;
  /** How often it went to be judged; part of the judge effect's id. */
  round: number;
  /** What the call would touch, as far as that is known. */
  claims: { effect: ToolEffect; paths: readonly string[] } | null;
  behind: readonly string[];
  judgement: Judgement | null;
  /** The open question, once it has been put. */
  approval: { round: number; expiresAt: number | null; isExpired: boolean } | null;
  /** A person allowed these arguments, having seen this preview; a question that shows nothing else is answered already. */
  approved: { preview: string | null } | null;
  /** Rules or mode have changed since it was judged. */
  isStale: boolean;
  answer: { decision: EventData['approval.resolved']['decision']; reason: string | null; by: Actor } | null;
  /** What approvers changed or remarked, for the model to be told with the result. */
  remarks: string[];
  /** What the person is asked before it runs, once that has been put; and what came of it. */
  questions: {
    asked: readonly Question[];
    round: number;
    expiresAt: number | null;
    isExpired: boolean;
    reply: { outcome: AnswerOutcome; answers: readonly Answer[] | null; reason: string | null; by: Actor } | null;
  } | null;
  /** It had begun when the driver that ran it was gone. */
  isInterrupted: boolean;
  result: ToolResult | null;
};

export type TurnCalls = {
  /** Of the step that runs. */
  calls: Call[];
  /** Steps in a row in which no call was right. */
  malformedRounds: number;
  /** Calls of the turn that have their result and that the model still sees, in the order in which they ended. */
  doneCalls: DoneCall[];
};

/** A call of the turn that has its result, as far as the loop check asks. */
export type DoneCall = Pick<Call, 'id' | 'tool' | 'input'> & {
  effect: ToolEffect | null;
  /** Status and content of its result. */
  status: string;
  content: string;
  /** Digests of the files that it touches, as the session knew them when it had ended. */
  digests: { readonly [path: string]: string | null };
  seen: Judgement['seen'];
};

export const noCalls = (): TurnCalls => ({ calls: [], malformedRounds: 0, doneCalls: [] });
