import type { Answer, Question } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerProblem, due, evolve, initialState } from '../../src/core/index.ts';
import { viewOf } from '../../src/runtime/view.ts';
import { agent, type begin, call, codeOf, human, open, type Session, withCalls } from './support.ts';

const id = 't1_s1_c1';
const colour: Question = {
  header: 'Colour',
  text: 'Which colour?',
  options: [{ label: 'red' }, { label: 'blue', details: 'Like the sky.' }],
  isMultiple: false,
  takesText: true,
};
const size: Question = { header: 'Size', text: 'How large?', options: [], isMultiple: false, takesText: true };
const withDefault = (question: Question, answer: Answer): Question => ({ ...question, default: answer });
const red: Answer = { choices: ['red'] };
const large: Answer = { choices: [], text: 'large' };

/** A session whose call asks these. */
function asking(questions: Question[], settings: Parameters<typeof begin>[0] = {}): Session {
  const session = withCalls([call('ask')], settings);
  session.judge(id, { questions });
  return session;
}
const answer = (session: Session, answers: Answer[], by = human) =>
  session.command('question.answer', { call: id, answers }, { by });

describe('P7: a question', () => {
  it('is put to the person before its call runs, and the call runs once they answered', () => {
    const session = asking([colour, size]);
    expect(session.last('question.asked')).toEqual({ call: id, questions: [colour, size], expiresAt: 300_000 });
    expect([session.statusOf(id), viewOf(session.state).status]).toEqual(['questioned', 'awaiting_answer']);
    expect(viewOf(session.state).questions).toEqual([session.last('question.asked')]);
    expect(session.due()).toEqual([`timer:question:${id}:1`]);
    expect(codeOf(answer(session, [red, large]))).toBe('accepted');
    expect(session.last('question.answered')).toEqual({ call: id, outcome: 'answered', answers: [red, large] });
    expect(session.due()).toEqual([`tool:${id}:1 run`]);
    expect(viewOf(session.state)).toMatchObject({ status: 'running', questions: [] });
  });

  it('is answered once: whoever comes second learns who was first', () => {
    const session = asking([colour]);
    answer(session, [red]);
    expect(answer(session, [{ choices: ['blue'] }], { kind: 'human', id: 'bob' })).toMatchObject({
      code: 'already_answered',
      message: expect.stringContaining('ann'),
    });
    expect(session.count('question.answered')).toBe(1);
  });

  it('is never answered by an agent', () => {
    const session = asking([colour]);
    expect(codeOf(answer(session, [red], agent))).toBe('human_only');
    expect(codeOf(session.command('question.decline', { call: id }, { by: agent }))).toBe('human_only');
    expect(session.statusOf(id)).toBe('questioned');
  });

  it('says what is wrong with a command that is of another form, and how an answer is given', () => {
    const session = asking([colour, size]);
    const form = 'Give a list of one { choices: [labels of options], text?: other words } for each question.';
    const sentences = {
      '`answers` is not a list.': ['red', undefined, null, { choices: ['red'] }],
      'Answer 1 of 2 is not of the form of an answer.': [
        ['red', 'large'],
        [{ choices: 'red' }, large],
        [{ text: 'red' }, large],
      ],
      'Answer 2 of 2 is not of the form of an answer.': [
        [red, null],
        [red, { choices: [], text: 3 }],
      ],
      'Of questions there are 2, and of answers 1.': [[red]],
    };
    for (const [sentence, wrong] of Object.entries(sentences)) {
      for (const answers of wrong) {
        const message = `${sentence} ${form}`;
        expect(answer(session, answers as Answer[])).toMatchObject({ type: 'refused', code: 'bad_answer', message });
      }
    }
    expect(session.statusOf(id)).toBe('questioned');
  });

  it('takes no answer that is none, and stays open', () => {
    const session = asking([colour]);
    const wrong: Answer[][] = [
      [],
      [red, red],
      [{ choices: ['green'] }],
      [{ choices: ['red', 'blue'] }],
      [{ choices: [] }],
      [{ choices: [], text: '  ' }],
      [{ choices: [], text: 'x'.repeat(20_001) }],
    ];
    for (const answers of wrong) expect(codeOf(answer(session, answers))).toBe('bad_answer');
    expect(session.command('question.answer', { call: 't9_s9_c9', answers: [red] })).toMatchObject({
      code: 'no_question',
      message: `Call t9_s9_c9 does not wait for an answer. These do: ${id}.`,
    });
    expect(session.statusOf(id)).toBe('questioned');
    expect(codeOf(answer(session, [red]))).toBe('accepted');
  });

  it('that a person declines is told to the model with their reason', () => {
    const session = asking([colour]);
    session.command('question.decline', { call: id, reason: 'You decide.' });
    expect(session.results()).toMatchObject([{ status: 'denied', content: expect.stringContaining('You decide.') }]);
    expect(session.count('tool.started')).toBe(0);
  });

  it('that nobody answers in time is answered by its defaults, or told to be no refusal', () => {
    const timely = asking([withDefault(colour, red)]);
    timely.ring(`timer:question:${id}:1`);
    expect(timely.last('question.answered')).toEqual({ call: id, outcome: 'timeout', answers: [red] });
    expect(timely.statusOf(id)).toBe('running');

    const without = asking([withDefault(colour, red), size]);
    without.ring(`timer:question:${id}:1`);
    expect(without.results()).toMatchObject([{ status: 'denied', content: expect.stringContaining('did not refuse') }]);
    expect(codeOf(answer(without, [red, large]))).not.toBe('accepted');
  });

  it('is not put where nobody is there: the defaults hold, or the turn says that somebody was missed', () => {
    const defaulted = asking([withDefault(colour, red)], { isAttended: false });
    expect([defaulted.count('question.asked'), defaulted.last('question.answered')]).toEqual([
      0,
      { call: id, outcome: 'unattended', answers: [red] },
    ]);
    expect(defaulted.statusOf(id)).toBe('running');

    const missed = asking([colour], { isAttended: false });
    expect(missed.last('tool.finished')).toMatchObject({ status: 'denied', isUnattended: true });
    expect(missed.state.turn?.unattendedDenials).toBe(1);
  });

  it('is settled when the last person leaves while it is open', () => {
    const session = asking([withDefault(colour, red)]);
    session.command('session.configure', { isAttended: false });
    expect(session.last('question.answered')).toMatchObject({ outcome: 'unattended', answers: [red] });
  });

  it('waits as long as its call says, and never longer than an approval', () => {
    const within = (answerWithinMs: number | undefined, approvalTimeoutMs: number) => {
      const session = withCalls([call('ask')], { limits: { approvalTimeoutMs } });
      session.judge(id, { questions: [colour], ...(answerWithinMs !== undefined && { answerWithinMs }) });
      return session.last('question.asked')?.expiresAt;
    };
    expect(within(1000, 5000)).toBe(1000);
    expect(within(9000, 5000)).toBe(5000);
    expect(within(9000, 0)).toBe(9000);
    expect(within(undefined, 0)).toBeNull();
  });

  it('is withdrawn when the turn is cancelled, and no answer counts any more', () => {
    const session = asking([withDefault(colour, red)]);
    session.cancel();
    expect(session.last('question.answered')).toEqual({ call: id, outcome: 'cancelled' });
    expect(session.results()).toMatchObject([{ status: 'cancelled' }]);
    expect(session.last('turn.ended')?.outcome).toBe('cancelled');
    expect(codeOf(answer(session, [red]))).toBe('no_question');
  });

  it('is open after a restart as it was, with its deadline', () => {
    const before = asking([colour]);
    before.wait(1000);
    before.reopen();
    const after = open(before.events);
    expect(viewOf(after.state).questions).toEqual(viewOf(before.state).questions);
    expect(after.due()).toEqual(before.due());
    expect(codeOf(after.command('question.answer', { call: id, answers: [red] }, { id: 'later' }))).toBe('accepted');
    expect(after.statusOf(id)).toBe('running');
  });

  it('keeps an answer that came as the program was killed (scenario 11)', () => {
    const before = asking([colour]);
    answer(before, [red]);
    const cut = before.events.findIndex((event) => event.type === 'question.answered') + 1;
    const after = open(before.events.slice(0, cut));
    expect(after.due()).toEqual([`tool:${id}:1 run`]);
    expect(after.state.turn?.calls[0]?.questions?.reply?.answers).toEqual([red]);
  });

  it('follows the approval of its call, where a rule asks for one', () => {
    const session = withCalls([call('ask')]);
    session.judge(id, { verdict: 'ask', questions: [colour] });
    expect([session.count('approval.requested'), session.count('question.asked')]).toEqual([1, 0]);
    session.approve(id);
    expect(session.count('question.asked')).toBe(1);
    answer(session, [red]);
    expect(session.statusOf(id)).toBe('running');
  });

  it('does not run its call after the rules changed, before it is judged again; its answer is not asked for twice', () => {
    const session = asking([colour]);
    session.command('rule.add', { list: 'deny', rule: 'ask' });
    answer(session, [red]);
    expect(session.statusOf(id)).toBe('proposed');
    session.judge(id, { questions: [colour] });
    expect([session.statusOf(id), session.count('question.asked')]).toEqual(['running', 1]);

    const other = asking([colour]);
    other.command('rule.add', { list: 'deny', rule: 'ask' });
    answer(other, [red]);
    other.judge(id, { questions: [size] });
    expect([other.statusOf(id), other.count('question.asked')]).toEqual(['questioned', 2]);

    const denied = asking([colour]);
    denied.command('rule.add', { list: 'deny', rule: 'ask' });
    answer(denied, [red]);
    denied.judge(id, { verdict: 'deny', rule: 'deny ask' });
    expect(denied.results()).toMatchObject([{ status: 'denied' }]);
  });

  it('is left behind by a fork, where it is closed', () => {
    const session = asking([colour]);
    const fork = { type: 'session.forked' as const, data: { from: { session: 's1', seq: session.state.seq } } };
    const forked = open([...session.events, { ...fork, seq: session.state.seq + 1, at: 0, session: 's2', by: human }]);
    expect(forked.last('question.answered')).toMatchObject({ outcome: 'cancelled' });
    expect(forked.state.turn).toBeNull();
  });
});

const label = fc.constantFrom('a', 'b', 'c', 'd');
const someAnswer = fc.record({
  choices: fc.array(label, { maxLength: 4 }),
  text: fc.option(fc.string(), { nil: undefined }),
});
const someQuestion = fc
  .record({
    labels: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
    isMultiple: fc.boolean(),
    takesText: fc.boolean(),
    given: fc.option(someAnswer, { nil: undefined }),
  })
  .map(({ labels, isMultiple, takesText, given }): Question => {
    const question = {
      header: 'H',
      text: 'T',
      options: labels.map((text) => ({ label: text })),
      isMultiple,
      takesText,
    };
    const isFit = given !== undefined && answerProblem(question, clean(given)) === null;
    return isFit ? { ...question, default: clean(given) } : question;
  });
const clean = ({ choices, text }: { choices: string[]; text: string | undefined }): Answer => ({
  choices,
  ...(text !== undefined && { text }),
});

type Step =
  | { what: 'answer'; answers: Answer[] }
  | { what: 'decline' | 'ring' | 'cancel' | 'leave' | 'reopen' | 'rule' | 'judge' };
const someStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(someAnswer.map(clean), { maxLength: 3 })
      .map((answers) => ({ what: 'answer' as const, answers })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constantFrom('decline', 'ring', 'cancel', 'leave', 'reopen', 'rule', 'judge') }),
  },
);

it('P7: whatever comes in whatever order, a call with questions runs once at most, and only with an answer to each', () => {
  fc.assert(
    fc.property(
      fc.array(someQuestion, { minLength: 1, maxLength: 3 }),
      fc.array(someStep, { maxLength: 12 }),
      (questions, steps) => {
        const session = asking(questions);
        for (const step of steps) {
          if (step.what === 'answer') answer(session, step.answers);
          if (step.what === 'decline') session.command('question.decline', { call: id });
          if (step.what === 'ring')
            for (const timer of session.effects()) if (timer.kind === 'timer') session.ring(timer.id);
          if (step.what === 'cancel') session.cancel();
          if (step.what === 'leave') session.command('session.configure', { isAttended: false });
          if (step.what === 'reopen') session.reopen();
          if (step.what === 'rule') session.command('rule.add', { list: 'ask', rule: 'x' });
          if (step.what === 'judge') session.judge(id, { questions });
        }
        const replies = session.events.filter((event) => event.type === 'question.answered');
        expect(replies.length).toBeLessThanOrEqual(1);
        expect(session.count('tool.started')).toBeLessThanOrEqual(1);
        expect(session.count('tool.finished')).toBeLessThanOrEqual(1);
        if (session.count('tool.started') > 0) {
          const answers = replies[0]?.data.answers ?? [];
          expect(answers).toHaveLength(questions.length);
          for (const [index, question] of questions.entries()) {
            expect(answerProblem(question, answers[index] ?? { choices: ['none'] })).toBeNull();
          }
        }
        // An open question is always either waited for or settled.
        if (session.statusOf(id) === 'questioned') expect(session.due()).toContain(`timer:question:${id}:1`);
        const again = session.events.reduce(evolve, initialState());
        expect(due(again)).toEqual(due(session.state));
      },
    ),
    { numRuns: 500 },
  );
});
