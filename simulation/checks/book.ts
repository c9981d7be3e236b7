/** What the checker knows of a session, kept apart from the engine's own state so that one can be held against the other. */
import type { State } from '@pawl/engine/core';
import type { Actor, DurableEvent, JsonObject, Judgement, Message, ToolResult, UserPart } from '@pawl/protocol';
import type { Owner } from '../world/scheduler.ts';
import type { CompactionBook } from './compaction.ts';
import type { Demand } from './demands.ts';
import { noDemand } from './demands.ts';

export type CallBook = {
  id: string;
  tool: string;
  turn: number;
  input: JsonObject;
  /** Its arguments were no JSON. */
  isNoJson: boolean;
  judgement: Judgement | null;
  /** A person allowed the call as it stands, or wrote its arguments. */
  isApproved: boolean;
  isRefused: boolean;
  hasOpenQuestion: boolean;
  isStarted: boolean;
  /** The driver that began it last, by the event with which it took the session up; and whoever had the right to. */
  startedBy: number | null;
  mayBeginOn: Set<Owner>;
  isFinished: boolean;
  result: ToolResult | null;
  hasDeed: boolean;
  /** One call too many: it is refused before anyone looks at it. */
  isExcess: boolean;
};

/** One run of a tool's body, wherever it runs and whatever becomes of it. */
export type Body = {
  run: number;
  call: string;
  tool: string;
  input: JsonObject;
  basis: string | null;
  owner: Owner;
  signal: AbortSignal;
  /** Begun while the answer that asks for it still streamed. */
  isEarly: boolean;
  /** The driver's event with which it had taken the session up. */
  tenure: number;
  /** The answer it was begun for was withdrawn. */
  isVoid: boolean;
  /** Its outcome is in the log. */
  isUsed: boolean;
};

/** What stands in for what the next request says beyond the history, and for how often an answer went wrong in a row. */
export type Trouble = {
  /** What the model was cut in; null after an answer that was whole. */
  cut: { kind: 'text' | 'thinking' } | { kind: 'call'; tool: string } | null;
  cuts: number;
  /** The history was compacted when that had happened as often as it may. */
  hasCompacted: boolean;
  malformedRounds: number;
};

type InputBook = {
  id: string;
  content: UserPart[];
  state: 'queued' | 'taken' | 'removed';
  /** Sent to start or steer a turn, rather than added as context. */
  isSent: boolean;
  /** To be taken before the next call of the model. */
  isUrgent: boolean;
  /** Queued when somebody cancelled a turn and let the queue be added without one. */
  isCommitted: boolean;
};

export type TurnBook = { number: number; step: number; cancelSeq: number | null; calls: CallBook[] };

export type Book = {
  session: string;
  /** The machine whose records count. */
  driver: Owner | null;
  /** The event with which its driver took it up. */
  tenure: number;
  events: DurableEvent[];
  turn: TurnBook | null;
  turns: number;
  calls: Map<string, CallBook>;
  inputs: Map<string, InputBook>;
  commands: Map<string, { record: number; seq: number; digest: string; by: Actor }>;
  history: (Message & { id: string })[];
  records: number;
  /** How far each machine knows the log to be durable. */
  acknowledged: Map<Owner, number>;
  /** Calls whose body runs now under the present driver. */
  bodies: Set<CallBook>;
  /** Every run of a body so far, by its number. */
  runs: Map<number, Body>;
  /** Bodies that were begun early and run now. */
  early: Set<Body>;
  /** The event with which each machine took the session up last. */
  tenures: Map<Owner, number>;
  /** The event after which nothing of a turn (`t1`), or of a step of it (`t1_s2`), should be at work early any more. */
  over: Map<string, number>;
  trouble: Trouble;
  demand: Demand;
  /** Thinking in messages before this one was signed over another history. */
  signedFrom: number;
  /** Compactions so far, and the one under way. */
  compactions: number;
  compaction: CompactionBook | null;
  /** Results that were trimmed, by message and call. */
  trimmed: Set<string>;
  /** Inputs that correct the agent; what persons said in them and in refusals; and what it is all for. */
  steering: Set<string>;
  /** Mails that it received: another agent's word is no correction. */
  mails: Set<string>;
  corrections: Set<string>;
  task: string | null;
  /** Deeds that happened and leave that the tool gave to do them again. */
  deeds: Map<string, { count: number; notDone: number }>;
  /** The log folded by the engine's own `evolve`. */
  state: State;
};

export function createBook(session: string, state: State): Book {
  return {
    session,
    driver: null,
    tenure: 1,
    events: [],
    turn: null,
    turns: 0,
    calls: new Map(),
    inputs: new Map(),
    commands: new Map(),
    history: [],
    records: 0,
    acknowledged: new Map(),
    bodies: new Set(),
    runs: new Map(),
    early: new Set(),
    tenures: new Map(),
    over: new Map(),
    trouble: noTrouble(),
    demand: noDemand(),
    signedFrom: 0,
    compactions: 0,
    compaction: null,
    trimmed: new Set(),
    steering: new Set(),
    mails: new Set(),
    corrections: new Set(),
    task: null,
    deeds: new Map(),
    state,
  };
}

export const noTrouble = (): Trouble => ({ cut: null, cuts: 0, hasCompacted: false, malformedRounds: 0 });
