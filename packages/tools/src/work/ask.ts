import type { Tool, ToolContext, ToolOutcome } from '@pawl/engine';
import type { Answer, Question } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { defineTool, objectSchema } from '../tool.ts';

type AskedQuestion = {
  header: string;
  question: string;
  options?: { label: string; details?: string }[];
  multiple?: boolean;
  optionsOnly?: boolean;
  default?: string[];
};
type AskInput = { questions: AskedQuestion[]; timeoutSeconds?: number };

const shortestTimeoutSeconds = 10;

/** Asks the person. The answer comes through the session, so an open question outlives the program. */
export function askTool(): Tool {
  return defineTool<AskInput>({
    name: 'ask',
    description:
      'Asks the user and waits. Only for what you cannot find out and should not decide; put all questions into one call. A default is what you would do without an answer.',
    input: objectSchema(
      {
        questions: {
          type: 'array',
          minItems: 1,
          maxItems: 8,
          items: objectSchema(
            {
              header: { type: 'string', minLength: 1, maxLength: 40, description: 'One or two words' },
              question: { type: 'string', minLength: 1, maxLength: 2000 },
              options: {
                type: 'array',
                maxItems: 9,
                items: objectSchema(
                  {
                    label: { type: 'string', minLength: 1, maxLength: 100 },
                    details: { type: 'string', maxLength: 500 },
                  },
                  ['label'],
                ),
              },
              multiple: { type: 'boolean', description: 'Several options may be chosen' },
              optionsOnly: { type: 'boolean', description: 'No answer in other words' },
              default: { type: 'array', items: { type: 'string' }, description: 'Labels, or one text' },
            },
            ['header', 'question'],
          ),
        },
        timeoutSeconds: { type: 'integer', minimum: shortestTimeoutSeconds },
      },
      ['questions'],
    ),
    effect: 'read',
    subject: ({ questions }) => questions.map(({ header }) => header).join(', '),
    plan: async ({ questions, timeoutSeconds }) => ({
      questions: questions.map(questionOf),
      ...(timeoutSeconds !== undefined && { answerWithinMs: timeoutSeconds * 1000 }),
    }),
    run: async ({ questions }, { replies }) => resultOf(questions, replies),
  });
}

function questionOf(asked: AskedQuestion): Question {
  const { header, question, options = [], multiple = false, optionsOnly = false } = asked;
  return {
    header,
    text: question,
    options,
    isMultiple: multiple,
    takesText: !optionsOnly,
    ...(asked.default !== undefined && { default: defaultOf(asked.default, options) }),
  };
}

function defaultOf(given: readonly string[], options: readonly { label: string }[]): Answer {
  const [only] = given;
  const isLabel = (text: string) => options.some(({ label }) => label === text);
  const isText = given.length === 1 && only !== undefined && !isLabel(only);
  return isText ? { choices: [], text: only } : { choices: [...given] };
}

/** The answers in the order of the questions, each under its header. */
function resultOf(questions: readonly AskedQuestion[], replies: ToolContext['replies']): ToolOutcome {
  if (replies === undefined) {
    throw new PawlError('not_asked', 'The questions were not put to anybody: this host cannot ask.');
  }
  const lines = replies.answers.map((answer, index) => `${questions[index]?.header ?? ''}: ${wordsOf(answer)}`);
  const isGiven = replies.outcome === 'answered';
  const why = replies.outcome === 'timeout' ? 'Nobody answered in time' : 'Nobody is there to answer';
  return {
    content: isGiven ? lines.join('\n') : `${why}, so your defaults hold:\n${lines.join('\n')}`,
    details: { isAnswered: isGiven },
  };
}

function wordsOf({ choices, text }: Answer): string {
  const words = [...choices, ...(text === undefined ? [] : [`"${text}"`])];
  return words.length === 0 ? '(none of them)' : words.join(', ');
}
