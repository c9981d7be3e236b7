/** May this client do this, and which events record it? Commands of clients are decided here, outcomes of effects in `decide-outcome.ts`. */
import { executePlan } from './agents/plan.ts';
import { decideApproval } from './approvals/decide.ts';
import { decideCompaction } from './compaction/decide.ts';
import { decideOutcome } from './decide-outcome.ts';
import type { Decision, FingerprintedCommand } from './decision.ts';
import { refuse } from './decision.ts';
import { decideInput } from './inputs/decide.ts';
import { decideMail } from './mail/decide.ts';
import type { Outcome } from './outcome.ts';
import { answerQuestions } from './questions/decide.ts';
import { decideSession } from './session/decide.ts';
import { decideRule } from './session/rules.ts';
import type { State } from './state.ts';
import { decideTask } from './tasks/decide.ts';
import { decideTurn } from './turn/decide.ts';

export function decide(state: State, command: FingerprintedCommand | Outcome): Decision {
  if (!('id' in command)) return decideOutcome(state, command);
  const before = state.commands.get(command.id);
  if (before === undefined) return decideCommand(state, command);
  if (before.digest === command.digest) return { type: 'duplicate', seq: before.seq };
  return refuse(
    'command_id_reused',
    `Command id ${command.id} was used for something else. Nothing was done. Send this with a new id.`,
  );
}

function decideCommand(state: State, command: FingerprintedCommand): Decision {
  switch (command.type) {
    case 'input.send':
    case 'input.edit':
    case 'input.remove':
    case 'context.add':
    case 'files.report':
    case 'feedback':
      return decideInput(state, command);
    case 'turn.continue':
    case 'turn.retry':
    case 'turn.cancel':
    case 'review.resolve':
      return decideTurn(state, command);
    case 'session.pause':
    case 'session.resume':
    case 'session.rename':
    case 'session.archive':
    case 'session.unarchive':
    case 'session.configure':
      return decideSession(state, command);
    case 'rule.add':
    case 'rule.remove':
      return decideRule(state, command);
    case 'plan.execute':
      return executePlan(state, command);
    case 'approval.resolve':
      return decideApproval(state, command);
    case 'question.answer':
    case 'question.decline':
      return answerQuestions(state, command);
    case 'context.compact':
    case 'context.remove':
    case 'compaction.cancel':
      return decideCompaction(state, command);
    case 'task.start':
    case 'task.send':
    case 'task.cancel':
    case 'task.assign':
    case 'task.stop':
      return decideTask(state, command);
    case 'mail.send':
    case 'mail.receive':
    case 'mail.acknowledge':
      return decideMail(state, command);
    default:
      return command satisfies never;
  }
}
