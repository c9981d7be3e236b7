/** May this client do this, and which events say that it happened? Clients' commands here, effects' outcomes in `outcomes.ts`. */
import { parseRule } from '@pawl/policy';
import type { Command, EventBody, JsonObject, Limits, PermissionMode, UserPart } from '@pawl/protocol';
import { mayAnswer, messageOf } from '@pawl/protocol';
import { answerQuestions } from './answers.ts';
import { canonicalJson } from './calls.ts';
import { compactionRefusal, decideCompaction } from './compaction/decide.ts';
import { summariseEdit } from './edits.ts';
import { findCall } from './fold/call.ts';
import { decideMail } from './mail.ts';
import { carriedOn, optionsOf, optionsRefusal } from './options.ts';
import type { Outcome } from './outcomes.ts';
import { decideOutcome } from './outcomes.ts';
import { executePlan } from './plan.ts';
import { isWidening, modeAfter } from './profile.ts';
import type { Call, State } from './state.ts';
import { mergeLimits } from './state.ts';
import { configureTask, decideTask, isOwner } from './tasks/decide.ts';

/** A command with the fingerprint of its content, by which a repetition is told from a reuse of its id. */
export type Fingerprinted = Command & { digest: string };

export type Decision =
  | { type: 'accepted'; events: EventBody[] }
  /** Accepted before; `seq` is the last event it caused then. */
  | { type: 'duplicate'; seq: number }
  | { type: 'refused'; code: string; message: string };

export const accept = (...events: EventBody[]): Decision => ({ type: 'accepted', events });
export const refuse = (code: string, message: string): Decision & { type: 'refused' } => ({
  type: 'refused',
  code,
  message,
});

export function decide(state: State, command: Fingerprinted | Outcome): Decision {
  if (!('id' in command)) return decideOutcome(state, command);
  const before = state.commands.get(command.id);
  if (before === undefined) return decideCommand(state, command);
  if (before.digest === command.digest) return { type: 'duplicate', seq: before.seq };
  return refuse(
    'command_id_reused',
    `Command id ${command.id} was used for something else. Nothing was done. Send this with a new id.`,
  );
}

function decideCommand(state: State, command: Fingerprinted): Decision {
  const { turn, settings } = state;
  switch (command.type) {
    case 'input.send': {
      const { content, delivery } = command.data;
      if (isEmpty(content)) return refuse('empty_input', 'The input is empty. Send some text.');
      // A person may talk to a task that has ended; its owner opens it again, with something to spend.
      if (state.assignment?.finished != null && command.by.kind === 'agent') {
        return refuse('task_ended', 'This task has ended already.');
      }
      if (delivery === 'reject' && turn !== null) {
        return refuse(
          'busy',
          `Turn ${turn.number}, started by ${turn.by.id}, is running. Wait for it, or queue, steer or interrupt.`,
        );
      }
      const isSteering = delivery === 'steer' && turn !== null;
      const refusal = optionsRefusal(command.data, { by: command.by, isSteering });
      if (refusal !== null) return refusal;
      const queued: EventBody = {
        type: 'input.queued',
        data: {
          input: command.id,
          delivery: delivery === 'reject' ? 'queue' : delivery,
          content,
          ...optionsOf(command.data),
        },
      };
      if (delivery !== 'interrupt' || turn === null || turn.cancel !== null) return accept(queued);
      const data = { turn: turn.number, reason: 'Interrupted by a new input.', queue: 'run' as const };
      return accept(queued, { type: 'cancel.requested', data });
    }
    case 'input.edit': {
      if (isEmpty(command.data.content)) return refuse('empty_input', 'The input is empty. Remove it instead.');
      return queueRefusal(state, command) ?? accept({ type: 'input.edited', data: command.data });
    }
    case 'input.remove':
      return queueRefusal(state, command) ?? accept({ type: 'input.removed', data: command.data });
    case 'context.add':
      return addContext(command.id, command.data.content);
    case 'files.report': {
      if (command.by.kind !== 'human') return refuse('human_only', 'Only a person can say that files were put back.');
      const { content, ...data } = command.data;
      const told = addContext(command.id, content);
      return told.type === 'accepted' ? accept({ type: 'files.reverted', data }, ...told.events) : told;
    }
    case 'feedback':
      return addContext(command.id, [{ type: 'text', text: command.data.text }], true);
    case 'context.compact':
    case 'compaction.cancel':
    case 'context.remove':
      return decideCompaction(state, command);

    case 'turn.continue':
      if (turn !== null) return refuse('busy', `Turn ${turn.number} is running; it goes on by itself.`);
      return startWithoutInput(state, 'continue');
    case 'turn.retry':
      if (turn !== null) return refuse('busy', `Turn ${turn.number} is running; there is nothing to retry.`);
      if (state.lastTurn?.outcome !== 'failed') {
        return refuse('nothing_to_retry', 'The last turn did not fail. Send an input, or continue.');
      }
      return startWithoutInput(state, 'retry');
    case 'turn.cancel':
      if (turn === null) return refuse('no_turn', 'No turn is running.');
      if (turn.cancel !== null) return refuse('already_cancelled', `Turn ${turn.number} is being cancelled already.`);
      return accept({ type: 'cancel.requested', data: { turn: turn.number, ...command.data } });

    case 'session.pause':
      return state.isPaused
        ? refuse('already_paused', 'The session is paused already.')
        : accept({ type: 'session.paused', data: {} });
    case 'session.resume':
      return state.isPaused || state.isHeld
        ? accept({ type: 'session.resumed', data: {} })
        : refuse('not_paused', 'The session is not paused.');
    case 'session.configure': {
      const { mode, isAttended, limits: changed, model, modelInfo } = command.data;
      if (isOwner(state, command)) return configureTask(state, command.data);
      if (command.by.kind !== 'human' && [mode, isAttended, changed].some((change) => change !== undefined)) {
        return refuse('human_only', 'Only a person can change the mode, the limits, or who is there to be asked.');
      }
      if (command.by.kind !== 'human' && isWidening(settings, command.data)) {
        return refuse('human_only', `Only a person can switch to ${command.data.agent}, which may do more.`);
      }
      if (model !== undefined && modelInfo === undefined) {
        return refuse(
          'bad_command',
          'A change of the model needs its modelInfo: limits, and whether its price is known.',
        );
      }
      const limits = mergeLimits(settings.limits, command.data.limits ?? {});
      const isPriceKnown = modelInfo?.isPriceKnown ?? settings.modelInfo.isPriceKnown;
      return (
        limitsRefusal(limits, isPriceKnown) ??
        compactionRefusal(command.data.compaction) ??
        accept({ type: 'session.configured', data: withMode(command.data, modeAfter(settings, command.data)) })
      );
    }
    case 'plan.execute':
      return executePlan(state, command);
    case 'rule.add':
      if (command.by.kind !== 'human' && (!isOwner(state, command) || command.data.list === 'allow')) {
        return refuse('human_only', 'Only a person can change the rules.');
      }
      return ruleRefusal(command.data) ?? addRule(state, command);
    case 'rule.remove':
      if (command.by.kind !== 'human') return refuse('human_only', 'Only a person can change the rules.');
      return ruleRefusal(command.data) === null && settings.rules[command.data.list].includes(command.data.rule)
        ? accept({ type: 'rule.removed', data: command.data })
        : refuse('no_rule', `There is no session rule "${command.data.rule}" in ${command.data.list}.`);

    case 'approval.resolve':
      return resolveApproval(state, command);
    case 'question.answer':
    case 'question.decline':
      return answerQuestions(state, command);
    case 'review.resolve':
      if (command.by.kind !== 'human') return refuse('human_only', 'Only a person can approve or reject a result.');
      if (turn?.phase !== 'review' || turn.cancel !== null) return refuse('no_review', 'No result is up for review.');
      return accept({ type: 'review.resolved', data: { turn: turn.number, ...command.data } });
    case 'mail.send':
    case 'mail.receive':
    case 'mail.acknowledge':
      return decideMail(state, command);
    case 'task.start':
    case 'task.send':
    case 'task.cancel':
    case 'task.assign':
    case 'task.stop':
      return decideTask(state, command);
    default:
      return command satisfies never;
  }
}

/** An owner sends its rules down as often as it gets them. */
function addRule(state: State, command: Fingerprinted & { type: 'rule.add' }): Decision {
  const { list, rule } = command.data;
  if (isOwner(state, command) && state.settings.rules[list].includes(rule)) return accept();
  return accept({ type: 'rule.added', data: command.data });
}

function withMode<Data extends object>(data: Data, mode: PermissionMode | undefined) {
  return { ...data, ...(mode !== undefined && { mode }) };
}

function isEmpty(content: readonly UserPart[]): boolean {
  return content.every((part) => part.type === 'text' && part.text.trim() === '');
}

/** An input may be changed by a person, and by whoever sent it, until it is taken. */
function queueRefusal(state: State, command: Fingerprinted & { type: 'input.edit' | 'input.remove' }): Decision | null {
  const { input } = command.data;
  const queued = state.queue.find((other) => other.id === input);
  if (queued === undefined) {
    return refuse('input_taken', `Input ${input} is not in the queue: it was taken, removed or never sent.`);
  }
  const isOwn = queued.by.kind === command.by.kind && queued.by.id === command.by.id;
  if (command.by.kind === 'human' || isOwn) return null;
  return refuse('human_only', `Input ${input} is not yours. Only a person can change what another sent.`);
}

/** A rule that cannot be read would stop every call. */
function ruleRefusal({ list, rule }: { list: string; rule: string }): Decision | null {
  if (!['deny', 'ask', 'allow'].includes(list)) return refuse('bad_rule', `There is no list "${list}" of rules.`);
  try {
    parseRule(rule);
    return null;
  } catch (error) {
    return refuse('bad_rule', messageOf(error));
  }
}

/** Between a call and its results nothing may stand, so context waits for the next safe point of a running turn. */
function addContext(input: string, content: UserPart[], isFeedback = false): Decision {
  if (isEmpty(content)) return refuse('empty_input', 'The message is empty. Send some text.');
  const data = { input, delivery: 'context' as const, content, ...(isFeedback && { isFeedback }) };
  return accept({ type: 'input.queued', data });
}

function startWithoutInput(state: State, cause: 'continue' | 'retry'): Decision {
  const last = state.messages.at(-1);
  if (last === undefined) return refuse('nothing_to_continue', 'The session has no messages yet. Send an input.');
  const events: EventBody[] = [];
  const isCut = last.role === 'assistant' && last.isPartial === true;
  const isThought = isCut && !last.content.some((part) => part.type === 'text' && part.text !== '');
  if (isCut && (isThought || cause === 'retry')) {
    const why = 'An answer that was cut off; it is asked for again.';
    events.push({ type: 'history.repaired', data: { repairs: [{ op: 'drop_message', message: last.id, why }] } });
  } else if (last.role === 'assistant') {
    const content = [{ type: 'text' as const, text: 'Continue from where you stopped.' }];
    events.push({ type: 'message.added', data: { message: { role: 'user', content, source: 'engine' } } });
  }
  events.push({ type: 'turn.started', data: { turn: state.turns + 1, cause, ...carriedOn(state) } });
  return accept(...events);
}

/**
 * Limits that are none, or that nobody could hold: a limit in dollars is worth nothing where the price is unknown,
 * so it is refused before anything is spent.
 */
export function limitsRefusal(limits: Limits, isPriceKnown: boolean): (Decision & { type: 'refused' }) | null {
  const { steps, durationMs, tokens, usd, sessionTokens, sessionUsd, approvalTimeoutMs } = limits;
  const isCount = (value: number | null, least: number, most = Number.MAX_SAFE_INTEGER) =>
    value === null || (Number.isInteger(value) && value >= least && value <= most);
  const isAmount = (value: number | null) => value === null || (Number.isFinite(value) && value >= 0);
  if (steps === null || !isCount(steps, 1, 1000))
    return refuse('bad_limit', 'The limit of steps is a whole number from 1 to 1000.');
  if (!isCount(durationMs, 1) || !isCount(tokens, 1) || !isCount(sessionTokens, 1)) {
    return refuse('bad_limit', 'Limits of time and tokens are whole numbers from 1 on, or null.');
  }
  if (approvalTimeoutMs === null || !isCount(approvalTimeoutMs, 0)) {
    return refuse('bad_limit', 'The time for an approval is a whole number of milliseconds; 0 waits for ever.');
  }
  if (!isAmount(usd) || !isAmount(sessionUsd))
    return refuse('bad_limit', 'Limits in dollars are amounts from 0 on, or null.');
  if (isPriceKnown || (usd === null && sessionUsd === null)) return null;
  return refuse(
    'price_unknown',
    'A limit in dollars needs a model whose price is known. Use a limit in tokens or steps, or another model.',
  );
}

function editOf({ input: original }: Call, input: JsonObject) {
  const isSame = canonicalJson(original) === canonicalJson(input);
  return isSame ? {} : { edit: { original, summary: summariseEdit(original, input) } };
}

function resolveApproval(state: State, command: Fingerprinted & { type: 'approval.resolve' }): Decision {
  if (command.by.kind !== 'human') return refuse('human_only', 'Only a person can answer an approval.');
  const call = findCall(state, command.data.call);
  if (call === undefined) return refuse('no_approval', `Call ${command.data.call} is not waiting for an approval.`);
  if (call.answer !== null) {
    const { decision, by } = call.answer;
    return refuse('already_answered', `Call ${call.id} was answered already: ${decision}, by ${by.id}.`);
  }
  if (call.approval === null || call.status !== 'asking' || call.approval.isExpired || state.turn?.cancel != null) {
    return refuse('no_approval', `Call ${call.id} is not waiting for an approval.`);
  }
  const approvers = call.judgement?.approvers;
  if (!mayAnswer(command.by, approvers)) {
    return refuse(
      'not_an_approver',
      `This approval is for the group ${approvers?.group}; ${command.by.id} is not in it.`,
    );
  }
  const { decision, reason, input, rules } = command.data;
  const bad = (rules ?? []).map(ruleRefusal).find((refusal) => refusal !== null);
  if (bad !== undefined) return bad;
  const added = (rules ?? []).map((data): EventBody => ({ type: 'rule.added', data }));
  return accept(...added, {
    type: 'approval.resolved',
    data: {
      call: call.id,
      decision,
      ...(reason !== undefined && { reason }),
      ...(input !== undefined && { input, ...editOf(call, input) }),
    },
  });
}
