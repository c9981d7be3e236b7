/** What the events of a call change. */
import type { DurableEvent, EventData, Preview, ToolMessage } from '@pawl/protocol';
import { canonicalJson, isMalformed, loopCheck } from '../calls.ts';
import { doneCall } from '../repeats.ts';
import type { Call, State } from '../state.ts';
import { charactersOf } from '../usage.ts';
import { noteDeed, proposeEnd } from './loop.ts';

export function findCall(state: State, id: string): Call | undefined {
  return state.turn?.calls.find((call) => call.id === id);
}

type CallEvent = Extract<
  DurableEvent,
  {
    type:
      | 'tool.judged'
      | 'tool.deferred'
      | 'tool.outdated'
      | 'approval.requested'
      | 'approval.resolved'
      | 'tool.started';
  }
>;

export function evolveCall(state: State, event: CallEvent): void {
  const call = findCall(state, event.data.call);
  if (call === undefined) return;
  switch (event.type) {
    case 'tool.judged': {
      call.judgement = event.data;
      call.claims = { effect: event.data.effect, paths: event.data.paths };
      call.isStale = false;
      const isAnswered = call.approved !== null && isSeen(call, event.data.preview);
      // Answers belong to the questions that they were given to.
      const isSameAsked = canonicalJson(call.questions?.asked) === canonicalJson(event.data.questions);
      if (!isSameAsked) call.questions = null;
      call.status = event.data.verdict === 'ask' && isAnswered ? 'allowed' : statusAfter[event.data.verdict];
      break;
    }
    case 'tool.deferred': {
      call.status = 'deferred';
      call.round += 1;
      call.behind = event.data.behind;
      call.approved = null;
      call.claims = { effect: event.data.effect, paths: event.data.paths };
      break;
    }
    case 'tool.outdated': {
      judgeAgain(call);
      call.approved = null;
      break;
    }
    case 'approval.requested': {
      call.approval = { round: call.round, expiresAt: event.data.expiresAt, isExpired: false };
      // Another question than the one that was answered before.
      call.answer = null;
      break;
    }
    case 'approval.resolved': {
      const seenBefore = { preview: call.judgement?.preview?.text ?? null };
      const { decision, reason, input, edit } = event.data;
      if (edit !== undefined) call.remarks.push(`The user changed the arguments before it ran: ${edit.summary}.`);
      if (decision === 'allow' && reason !== undefined) call.remarks.push(`The user allowed it and said: ${reason}`);
      if (decision !== 'allow') {
        call.approval = null;
        call.status = 'refused';
      } else if (input !== undefined) {
        call.input = input;
        judgeAgain(call);
        call.approved = { preview: null };
      } else if (call.isStale) {
        judgeAgain(call);
        call.approved = seenBefore;
      } else {
        call.approval = null;
        call.status = 'allowed';
      }
      call.answer = { decision, reason: reason ?? null, by: event.by };
      break;
    }
    case 'tool.started': {
      call.status = 'running';
      call.isInterrupted = false;
      break;
    }
    default:
      event satisfies never;
  }
}

/** What an approver has not seen is shown before it is done; what they wrote into the arguments themselves they have. */
function isSeen({ approved, input }: Call, preview: Preview | undefined): boolean {
  if (preview === undefined || preview.text === approved?.preview) return true;
  return Object.values(input).includes(preview.text);
}

const statusAfter = { allow: 'allowed', ask: 'asking', deny: 'refused' } as const;

/**
 * The driver that ran this call is gone. Where events were lost with damage, nobody knows how far a call had come,
 * so each one that is open counts as begun.
 */
export function interrupt(call: Call, isDamaged: boolean): void {
  if (isDamaged && call.status !== 'finished') {
    call.status = 'running';
    call.claims = null;
  }
  call.isInterrupted = call.status === 'running';
}

/** What was judged by other rules or in another mode is judged again before it begins. */
export function reconsider(state: State): void {
  for (const call of state.turn?.calls ?? []) {
    // One that waited for others may be on its way to be judged again.
    if (call.status === 'proposed' || call.status === 'deferred') call.round += 1;
    if (call.status === 'asking' || call.status === 'questioned') call.isStale = true;
    if (call.status === 'allowed') judgeOnceMore(call);
  }
}

/** To the judge again, with the leave that it was given before. */
export function judgeOnceMore(call: Call): void {
  const approved = call.answer?.decision === 'allow' ? { preview: call.judgement?.preview?.text ?? null } : null;
  judgeAgain(call);
  if (approved !== null) call.approved = approved;
}

function judgeAgain(call: Call): void {
  call.status = 'proposed';
  call.round += 1;
  call.judgement = null;
  call.approval = null;
  call.answer = null;
}

/** The results of a step that is whole are a message of the history, with the number of the event that completed it. */
export function finishCall(state: State, data: EventData['tool.finished'], seq: number): void {
  const turn = state.turn;
  const call = findCall(state, data.call);
  if (turn === null || call === undefined) return;
  call.status = 'finished';
  call.approval = null;
  const { status, content, files, isOutside, remarks } = data;
  call.result = {
    call: call.id,
    tool: call.tool,
    status,
    content,
    ...(files !== undefined && { files }),
    ...(isOutside !== undefined && { isOutside }),
    ...(remarks !== undefined && { remarks }),
  };
  if (data.isUnattended === true) turn.unattendedDenials += 1;
  noteDeed(state, call, data);
  if (data.endsTurn !== undefined && data.isBlocked !== true && turn.loop !== null) {
    proposeEnd(turn.loop, data.endsTurn, data.result);
  } else if (data.endsTurn !== undefined) {
    const outcome = data.isBlocked === true ? 'blocked' : 'completed';
    turn.ending = { outcome, message: data.endsTurn, ...(data.result !== undefined && { result: data.result }) };
  }
  rememberFiles(state, data.details?.files, call.claims?.effect !== 'read');
  // What never was a call, or was not made again, is nothing that could be repeated.
  if (!isMalformed(call) && call.judgement?.rule !== loopCheck) turn.doneCalls.push(doneCall(state, call));
  state.window.charactersSince += content.length;
  for (const file of files ?? []) {
    state.window.charactersSince += charactersOf(file);
    state.attachments.push(file.digest);
  }

  const results = turn.calls.flatMap((other) => (other.result === null ? [] : [other.result]));
  if (results.length < turn.calls.length) return;
  const message: ToolMessage = { role: 'tool', results };
  state.messages.push({ ...message, id: `m${seq}` });
  turn.phase = 'between';
  turn.malformedRounds = turn.calls.every(isMalformed) ? turn.malformedRounds + 1 : 0;
}

/** What stands there now is what the session knew at some time, so that it need not be read once more to be edited. */
export function rememberReverted(state: State, { files }: EventData['files.reverted']): void {
  rememberFiles(state, files, true);
}

function rememberFiles(state: State, files: unknown, isChange: boolean): void {
  if (typeof files !== 'object' || files === null) return;
  for (const [path, digest] of Object.entries(files)) {
    // In the order in which they were seen last.
    state.files.delete(path);
    state.files.set(path, typeof digest === 'string' ? digest : null);
    if (!isChange) continue;
    state.edited = [...state.edited.filter((other) => other !== path), path];
  }
}
