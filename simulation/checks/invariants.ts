/**
 * What must hold whatever the world does. Checked at every event that becomes durable, every deed, every request and
 * every answer to a client; a violation names its invariant.
 *
 *  I1  sequence   A log's events are 1, 2, 3… without gaps, and nothing that a driver does counts after it lost the session.
 *  I2  result     A call has exactly one result, from its tool only if it was started.
 *  I3  intent     A tool's body runs only with its intent in the log and a judgement that allowed it, or a person's approval.
 *  I4  once       A write or external deed happens at most once per call, and once more for each `not_done` of the tool.
 *  I5  cancel     After a durable cancel no call of its turn is started or begins, and the turn ends as cancelled.
 *  I6  approval   An approval is put only for an ask, answered once, and only by a person; what withdraws it is the engine.
 *  I7  refusal    A call that was denied, refused, left unanswered or unattended never runs, nor one too many, nor one that
 *                 the rules and the mode of the moment in which it begins would not let.
 *  I8  request    A request holds the history as logged: each call with one result, in order, no orphan, every input taken,
 *                 every file with its bytes; that an answer was cut is said after it, and never in it.
 *  I9  input      An input is taken once as last edited, or removed, or still queued; never lost.
 *  I10 turn       Turns follow each other, steps too, within their limit; a turn ends once, with all its calls closed, and
 *                 at the third answer in a row that was cut, or malformed.
 *  I11 replay     The log folded gives the live state, and folded again the same bytes.
 *  I12 due        Debts have unique ids, and a run is owed only to a call that its present driver began.
 *  I13 subscriber A subscriber sees every durable event once, in order, and never before it is in the log; of what is not
 *                 kept, nothing is skipped without a word, and of a call nothing before its intent.
 *  I14 command    A command counts once and is answered alike; another under its id is refused.
 *  I15 rest       When faults heal and people answer, every session comes to rest and nothing is owed.
 *  I16 parallel   Calls that conflict never run at the same time.
 *  I17 ending     Every promise and stream ends with an outcome, and no fault of the engine's own shows.
 *  I18 early      A body begins before its answer is whole only if it reads and policy allows it at that moment without a
 *                 question, at most four at once; it is told to stop when that answer, its step or its turn is over.
 *  I19 held       A run's outcome is logged at most once, for its call, with the arguments it ran with. An early one only if
 *                 its answer stands, its call is allowed on the same basis, and nothing was changed before it in its step.
 *  I20 memory     What a person said to correct the agent, the task and the open todos are in every window, for ever.
 *  I21 window     A window begins with what somebody said.
 *  I22 compaction One at a time; summarised once, applied at most once, between steps, over the history that it summarised.
 *  I23 cancel     A cancel of the turn takes a compaction with it.
 *  I25 system     The system prompt of a request, and the tools it tells of, follow from the log alone.
 *  I26 gathered   A step begins with what was gathered for its turn and agent, and that is gathered once.
 *  I27 task       A task is asked for once, begins when its turn has come, and ends in its owner's log once for each instance;
 *                 no more of them work, and no deeper, than was settled.
 *  I28 waiting    No owner waits for the dead: when all heals, every task has ended, its owner has been told, and no turn
 *                 ended of itself without those that it waits for.
 *  I29 budget     Nothing is given to a task that is not left, nothing spent before it is set aside, and no session of a tree
 *                 passes what it was given by more than one answer.
 *  I30 deny       What is denied to an owner runs in no task that it starts from then on, nor below it.
 *  I31 once       What crosses from one session to another is taken once; the same work is not begun twice.
 *  I32 sum        What a tree has spent is the sum of its answers.
 *  I33 cancel     A task that was cancelled before it began never begins.
 *  I34 mail       A mail is accepted at most once, by the session that it is for, as it was sent and after it was.
 *  I35 post       A mail is delivered only if it was accepted, given up only if its sender is told, and read only by a
 *                 model that answered to it; when faults heal, none is still on its way.
 *  I36 target     A turn with a target ends well only by a sole end with nothing open, after a second look or a check.
 *  I37 rounds     Its rounds follow each other within their limit, and stop after three that changed nothing.
 *  I38 verify     A person's check counts only where an end was put forward.
 *  I39 loop       A call for the third time in a turn, with the same result each time and nothing else changed between, does
 *                 not run; any other is never refused for that.
 *  I45 result     A turn that is to give a result ends well only with one that satisfies its schema; a wrong one is asked for
 *                 once more, and then it fails.
 *  I46 choice     A turn that is to call no tools calls none.
 *  I47 room       No request is longer than the window as long as something of it can be compacted.
 */
export type Invariant =
  | 'I1 sequence'
  | 'I2 result'
  | 'I3 intent'
  | 'I4 once'
  | 'I5 cancel'
  | 'I6 approval'
  | 'I7 refusal'
  | 'I8 request'
  | 'I9 input'
  | 'I10 turn'
  | 'I11 replay'
  | 'I12 due'
  | 'I13 subscriber'
  | 'I14 command'
  | 'I15 rest'
  | 'I16 parallel'
  | 'I17 ending'
  | 'I18 early'
  | 'I19 held'
  | 'I20 memory'
  | 'I21 window'
  | 'I22 compaction'
  | 'I23 cancel'
  | 'I25 system'
  | 'I26 gathered'
  | 'I27 task'
  | 'I28 waiting'
  | 'I29 budget'
  | 'I30 deny'
  | 'I31 once'
  | 'I32 sum'
  | 'I33 cancel'
  | 'I34 mail'
  | 'I35 post'
  | 'I36 target'
  | 'I37 rounds'
  | 'I38 verify'
  | 'I39 loop'
  | 'I45 result'
  | 'I46 choice'
  | 'I47 room';

export type Violation = { invariant: Invariant; message: string };

/** Records a violation; the first one ends the run. It does not throw, since the engine would catch it. */
export type Violate = (invariant: Invariant, message: string) => void;
