import type { TaskScope, Tool, ToolScope } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';
import { defineTool, objectSchema } from '../tool.ts';

type TaskInput = {
  agent?: string;
  prompt: string;
  context?: string;
  tools?: string[];
  scope?: string[];
  background?: boolean;
  joined?: boolean;
  key?: string;
  schema?: JsonObject;
  steps?: number;
  tokens?: number;
  usd?: number;
  minutes?: number;
};

/** Delegates work to a session of its own. Its call waits for the end, unless it is to run in the background. */
export function taskTool(): Tool {
  return defineTool<TaskInput & JsonObject>({
    name: 'task',
    description:
      'Delegates a piece of work to another agent that has a context of its own and none of yours: tell it all it needs. Returns its summary. Several calls in one answer work at the same time; with background you go on at once and are told when it ends.',
    input: objectSchema(
      {
        agent: { type: 'string', description: 'Who does it. Default: builder.' },
        prompt: { type: 'string', minLength: 1, description: 'What is to be done, and how you will know that it is.' },
        context: { type: 'string', description: 'What it should know besides.' },
        tools: { type: 'array', items: { type: 'string' }, description: 'The only tools it may use. Default: all.' },
        scope: {
          type: 'array',
          items: { type: 'string', minLength: 1 },
          minItems: 1,
          description:
            'Folders or patterns that it may change, such as "src/api" or "docs/**". Default: no such limit.',
        },
        background: { type: 'boolean', description: 'Go on meanwhile; the result comes as a message.' },
        joined: { type: 'boolean', description: 'Whether your turn waits for it before it ends. Default: true.' },
        key: { type: 'string', description: 'Names the work, so that it is not begun twice.' },
        schema: { type: 'object', description: 'JSON Schema of a result that you want besides the summary.' },
        steps: { type: 'integer', minimum: 1, maximum: 1000 },
        tokens: { type: 'integer', minimum: 1 },
        usd: { type: 'number', exclusiveMinimum: 0 },
        minutes: { type: 'number', exclusiveMinimum: 0, maximum: 1440 },
      },
      ['prompt'],
    ),
    effect: 'read',
    audience: 'owner',
    beginsEarly: false,
    subject: ({ agent = 'builder' }) => agent,
    run: async (input, context) => {
      const tasks = tasksOf(context);
      if (input.schema !== undefined && input.schema.type !== 'object') {
        return { content: 'The schema of a result is one of an object: give it "type": "object".', isError: true };
      }
      const isBackground = input.background === true;
      const { task, isSame } = await tasks.start(requestOf(input));
      const same = isSame ? 'The same work had been asked for already, so it was not begun again. ' : '';
      if (isBackground) {
        return {
          content: `${same}Task ${task} works in the background. You are told when it ends; do not wait for it by asking.`,
        };
      }
      const { report, outcome, session } = await tasks.ended(task);
      const isError = outcome !== 'completed' && outcome !== 'blocked';
      return { content: `${same}${report}`, isError, details: { task, session, outcome } };
    },
  });
}

function requestOf({
  agent = 'builder',
  prompt,
  context,
  tools,
  scope,
  background,
  joined,
  key,
  schema,
  ...limits
}: TaskInput) {
  const { steps, tokens, usd, minutes } = limits;
  return {
    agent,
    prompt,
    ...(context !== undefined && { context }),
    ...(tools !== undefined && { tools }),
    ...(scope !== undefined && { scope }),
    isBackground: background === true,
    isJoined: joined !== false,
    ...(key !== undefined && { key }),
    ...(schema !== undefined && { outputSchema: schema }),
    limits: {
      ...(steps !== undefined && { steps }),
      ...(tokens !== undefined && { tokens }),
      ...(usd !== undefined && { usd }),
      ...(minutes !== undefined && { durationMs: Math.max(1, Math.round(minutes * 60_000)) }),
    },
  };
}

/** @throws where a host gives tools nothing to delegate with. */
export function tasksOf({ tasks }: Pick<ToolScope, 'tasks'>): TaskScope {
  if (tasks === undefined) throw new Error('Nothing can be delegated here.');
  return tasks;
}
