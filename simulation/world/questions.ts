/**
 * Questions in the simulated world: which calls ask them, and how people answer. Only in some worlds, by their seed: the
 * others stay as they are, so that a seed that once showed a fault goes on to do so.
 */
import type { Answer, Question } from '@pawl/protocol';
import type { Book, CallBook } from '../checks/book.ts';
import { isQuestioned } from '../checks/questions.ts';
import type { Stage } from './actions.ts';
import { agent, humans } from './clients.ts';
import type { Random } from './random.ts';

/** Whether calls ask questions in the world of this seed. */
export const isCurious = (seed: number): boolean => seed % 10 === 8;

const colour: Question = {
  header: 'Colour',
  text: 'Which colour?',
  options: [{ label: 'red' }, { label: 'blue' }],
  isMultiple: false,
  takesText: false,
};
const parts: Question = {
  header: 'Parts',
  text: 'Which parts?',
  options: [{ label: 'a' }, { label: 'b' }],
  isMultiple: true,
  takesText: true,
  default: { choices: ['a'] },
};

/** By path, so that an approver who edits the arguments changes the questions too. */
const asked: Readonly<Record<string, readonly Question[]>> = {
  '/w/a': [colour],
  '/w/b': [{ ...colour, default: { choices: ['red'] } }, parts],
  '/w/c': [parts, colour],
};
const curiousTools: ReadonlySet<string> = new Set(['look', 'ask', 'peek', 'write', 'post']);

/** What a call of this tool about this path asks the person before it runs. */
export function questionsOf(tool: string, path: string): readonly Question[] {
  return curiousTools.has(tool) ? (asked[path] ?? []) : [];
}

/**
 * Somebody answers, or tries to: several at once, an agent, too late, with what is no answer. False where nobody asks,
 * mostly.
 */
export function answerSomething(stage: Stage): boolean {
  const { random, clients } = stage;
  const asking = stage.sessions().filter((one) => questioned(stage.book(one)).length > 0);
  if (asking.length === 0 && random.chance(0.95)) return false;
  const session = random.pick(asking.length === 0 ? stage.sessions() : asking);
  const book = stage.book(session);
  const open = questioned(book);
  const any = open.length > 0 && random.chance(0.9) ? open : [...book.calls.values()];
  const machines = stage.machines().filter((machine) => !machine.isAsleep);
  if (any.length === 0 || machines.length === 0) return false;
  const call = random.pick(any);
  const machine = machines.find((one) => one === book.driver) ?? random.pick(machines);
  const many = random.chance(0.2) ? humans : [random.chance(0.3) ? agent : random.pick(humans)];
  const reply = (by: (typeof many)[number]) => {
    if (random.chance(0.25))
      clients.command(machine, session, by, 'question.decline', { call: call.id, reason: 'No.' });
    else clients.command(machine, session, by, 'question.answer', { call: call.id, answers: answersTo(call, random) });
  };
  for (const by of many) reply(by);
  if (random.chance(0.1)) clients.command(machine, session, random.pick(humans), 'turn.cancel', {});
  return true;
}

export const questioned = (book: Book): CallBook[] => book.turn?.calls.filter(isQuestioned) ?? [];

/** One for each question, and now and then something else. */
function answersTo(call: CallBook, random: Random): Answer[] {
  if (random.chance(0.1)) return random.pick([[], [{ choices: ['green'] }], [{ choices: [] }]]);
  return rightAnswers(call, random);
}

export function rightAnswers({ judgement }: CallBook, random: Random): Answer[] {
  return (judgement?.questions ?? []).map(({ options, isMultiple }) => {
    const labels = options.map(({ label }) => label);
    return { choices: isMultiple && random.chance(0.5) ? labels : [random.pick(labels)] };
  });
}
