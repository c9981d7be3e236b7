/** Which answers to the questions of a call count, and who may give them. */
import type { Answer, Question } from '@pawl/protocol';
import { bounds } from '@pawl/protocol';
import { findCall } from '../calls/evolve.ts';
import type { Decision, FingerprintedCommand } from '../decision.ts';
import { accept, refuse } from '../decision.ts';
import type { State } from '../state.ts';

/** Why this is no valid answer to the question, as a sentence; null if it is valid. */
export function answerProblem(question: Question, { choices, text }: Answer): string | null {
  const { header, options, isMultiple, takesText } = question;
  const labels = options.map(({ label }) => label);
  const stray = choices.find((choice) => !labels.includes(choice));
  if (stray !== undefined) return `"${header}" has no option "${stray}". There are: ${labels.join(', ')}.`;
  if (new Set(choices).size < choices.length) return `"${header}" was given the same option twice.`;
  if (choices.length > 1 && !isMultiple) return `"${header}" takes one option.`;
  if (text !== undefined && !takesText) return `"${header}" takes one of its options, and no other words.`;
  if ((text ?? '').length > bounds.maxAnswerCharacters)
    return `The answer to "${header}" is longer than ${bounds.maxAnswerCharacters} characters.`;
  // Choosing none of several options is an answer; an empty text is not.
  const isEmpty = choices.length === 0 && (text ?? '').trim() === '';
  return isEmpty && !(isMultiple && text === undefined) ? `"${header}" has no answer.` : null;
}

const answerForm = 'Give a list of one { choices: [labels of options], text?: other words } for each question.';

/** Why a value is no list of answers, as a sentence; null if it is one. Callers in the same process are not checked by schemas. */
function answersProblem(answers: unknown): string | null {
  if (!Array.isArray(answers)) return `\`answers\` is not a list. ${answerForm}`;
  const index = answers.findIndex((answer) => !isAnswer(answer));
  return index < 0 ? null : `Answer ${index + 1} of ${answers.length} is not of the form of an answer. ${answerForm}`;
}

function isAnswer(value: unknown): value is Answer {
  if (typeof value !== 'object' || value === null) return false;
  const { choices, text } = value as { choices?: unknown; text?: unknown };
  const isListOfTexts = Array.isArray(choices) && choices.every((choice) => typeof choice === 'string');
  return isListOfTexts && (text === undefined || typeof text === 'string');
}

function waitingText({ turn }: State): string {
  const waiting = turn?.calls.filter(({ status }) => status === 'questioned').map(({ id }) => id) ?? [];
  return waiting.length === 0 ? 'No call does.' : `These do: ${waiting.join(', ')}.`;
}

type AnswerCommand = FingerprintedCommand & { type: 'question.answer' | 'question.decline' };

/** A person answers, or declines to. */
export function answerQuestions(state: State, command: AnswerCommand): Decision {
  if (command.by.kind !== 'human') return refuse('human_only', 'Only a person can answer a question.');
  const call = findCall(state, command.data.call);
  const open = call?.questions;
  if (call === undefined || open == null) {
    return refuse('no_question', `Call ${command.data.call} does not wait for an answer. ${waitingText(state)}`);
  }
  if (open.reply !== null) {
    return refuse(
      'already_answered',
      `Call ${call.id} was answered already: ${open.reply.outcome}, by ${open.reply.by.id}.`,
    );
  }
  if (call.status !== 'questioned' || open.isExpired || state.turn?.cancel != null || state.turn?.isOverTime === true) {
    return refuse('no_question', `Call ${call.id} does not wait for an answer any more.`);
  }
  if (command.type === 'question.decline') {
    return accept({ type: 'question.answered', data: { ...command.data, outcome: 'declined' } });
  }
  const { answers } = command.data;
  const shapeProblem = answersProblem(answers);
  if (shapeProblem !== null) return refuse('bad_answer', shapeProblem);
  if (answers.length !== open.asked.length) {
    return refuse(
      'bad_answer',
      `Of questions there are ${open.asked.length}, and of answers ${answers.length}. ${answerForm}`,
    );
  }
  for (const [index, question] of open.asked.entries()) {
    const answer = answers[index];
    const problem = answer === undefined ? `"${question.header}" has no answer.` : answerProblem(question, answer);
    if (problem !== null) return refuse('bad_answer', problem);
  }
  return accept({ type: 'question.answered', data: { call: call.id, outcome: 'answered', answers } });
}
