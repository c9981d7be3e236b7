import type { Tool, ToolContext, ToolOutcome } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { workTools } from '../src/work/index.ts';
import { createWorkspace } from './workspace.ts';

const tools = new Map(workTools().map((tool) => [tool.name, tool]));
const toolNamed = (name: string): Tool => {
  const tool = tools.get(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
};
const run = (name: string, input: JsonObject, changes: Partial<ToolContext> = {}): Promise<ToolOutcome> =>
  toolNamed(name).run(input, createWorkspace().context(changes));
const questionsOf = async (input: JsonObject) =>
  (await toolNamed('ask').plan?.(input, createWorkspace().context())) ?? {};

describe('T6: the work tools', () => {
  it('touch nothing but the session, so none asks for leave and plan mode has them all', () => {
    const { context } = createWorkspace();
    for (const tool of workTools()) {
      const changing = ['notes', 'todo'].includes(tool.name);
      const asks = tool.approval?.({}, context()) ?? tool.effect !== 'read';
      const held = tool.containment?.({}, context()) ?? 'none';
      expect([tool.name, asks, held]).toEqual([tool.name, false, changing ? 'read-only' : 'none']);
    }
  });

  it('cost a builder less than 1000 tokens together', () => {
    // Only planners are told of propose_plan.
    const tools = workTools().filter(({ name }) => name !== 'propose_plan');
    const prompt = JSON.stringify(tools.map(({ name, description, input }) => ({ name, description, input })));
    expect(prompt.length / 4).toBeLessThan(1000);
  });
});

describe('T6: todo', () => {
  it('replaces the list whole, and says how far it is', async () => {
    const todos = [
      { text: 'Look', status: 'completed' },
      { text: 'Change', status: 'in_progress' },
    ];
    expect(await run('todo', { todos })).toEqual({ content: '1 of 2 are done.', todos });
    expect(await run('todo', { todos: [] })).toEqual({ content: 'The list is empty.', todos: [] });
    expect((await run('todo', { todos: todos.slice(0, 1) })).content).toBe('All 1 are done.');
  });
});

describe('P7: ask', () => {
  it('asks in a form that every client can show, with a default where it was given one', async () => {
    const input = {
      questions: [
        {
          header: 'Colour',
          question: 'Which?',
          options: [{ label: 'red', details: 'Warm.' }, { label: 'blue' }],
          default: ['red'],
        },
        {
          header: 'Parts',
          question: 'Which?',
          options: [{ label: 'a' }],
          multiple: true,
          optionsOnly: true,
          default: ['a'],
        },
        { header: 'Name', question: 'What name?', default: ['fig'] },
        { header: 'Other', question: 'And?' },
      ],
      timeoutSeconds: 30,
    };
    const { questions = [], answerWithinMs } = await questionsOf(input);
    expect(answerWithinMs).toBe(30_000);
    expect(questions.map(({ isMultiple, takesText }) => [isMultiple, takesText])).toEqual([
      [false, true],
      [true, false],
      [false, true],
      [false, true],
    ]);
    expect(questions.map((question) => question.default)).toEqual([
      { choices: ['red'] },
      { choices: ['a'] },
      { choices: [], text: 'fig' },
      undefined,
    ]);
  });

  it('tells the model each answer under its header, and whose it is', async () => {
    const questions = ['Colour', 'Parts', 'Name'].map((header) => ({ header, question: 'Which?' }));
    const answers = [{ choices: ['red'] }, { choices: [] }, { choices: ['a', 'b'], text: 'and c' }];
    const replies = { outcome: 'answered' as const, answers };
    expect((await run('ask', { questions }, { replies })).content).toBe(
      'Colour: red\nParts: (none of them)\nName: a, b, "and c"',
    );
    const late = await run('ask', { questions }, { replies: { ...replies, outcome: 'timeout' } });
    expect(late.content).toContain('Nobody answered in time, so your defaults hold:\nColour: red');
    const alone = await run('ask', { questions }, { replies: { ...replies, outcome: 'unattended' } });
    expect(alone.content).toContain('Nobody is there');
  });

  it('never makes up an answer where no host asked anybody', async () => {
    await expect(run('ask', { questions: [{ header: 'A', question: 'B' }] })).rejects.toMatchObject({
      code: 'not_asked',
    });
  });
});

describe('T6: done, escalate, stage and notify', () => {
  it('end the turn with a sentence and a result, or because it takes a person', async () => {
    expect(await run('done', { message: 'Counted.', result: { files: 3 } })).toMatchObject({
      endsTurn: 'Counted.',
      result: { files: 3 },
    });
    expect(await run('done', { message: 'Over.' })).not.toHaveProperty('result');
    expect(await run('escalate', { need: 'A key.' })).toMatchObject({ endsTurn: 'A key.', isBlocked: true });
  });

  it('say where the work is, and what the person should know at once', async () => {
    expect(await run('stage', { stage: 'planning' })).toMatchObject({ stage: 'planning' });
    expect(await run('notify', { message: 'Half is done.' })).toMatchObject({ details: { notice: 'Half is done.' } });
  });
});

describe('T6: notes', () => {
  const notes = new Map([['port', '8080']]);

  it('are set, found, listed and taken away by key', async () => {
    expect(await run('notes', { action: 'set', key: 'a', value: 'b' }, { notes })).toMatchObject({ notes: { a: 'b' } });
    expect(await run('notes', { action: 'get', key: 'port' }, { notes })).toEqual({ content: '8080' });
    expect((await run('notes', { action: 'list' }, { notes })).content).toBe('Notes:\n- port (4 characters)');
    expect(await run('notes', { action: 'remove', key: 'port' }, { notes })).toMatchObject({ notes: { port: null } });
  });

  it('say what is missing, and what there is instead', async () => {
    await expect(run('notes', { action: 'get', key: 'host' }, { notes })).rejects.toThrow('- port');
    await expect(run('notes', { action: 'get' }, { notes })).rejects.toMatchObject({ code: 'no_key' });
    await expect(run('notes', { action: 'set', key: 'a' }, { notes })).rejects.toMatchObject({ code: 'no_value' });
    await expect(run('notes', { action: 'remove', key: 'x' }, { notes: new Map() })).rejects.toThrow('no notes');
  });

  it('are a hundred at most, of which each can still be changed', async () => {
    const full = new Map(Array.from({ length: 100 }, (_, index) => [`k${index}`, 'v']));
    await expect(run('notes', { action: 'set', key: 'new', value: 'v' }, { notes: full })).rejects.toMatchObject({
      code: 'too_many_notes',
    });
    expect(await run('notes', { action: 'set', key: 'k1', value: 'w' }, { notes: full })).toMatchObject({
      notes: { k1: 'w' },
    });
  });
});

const spec = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } });
const many = [
  spec('mcp__github__search_issues', 'Searches issues and pull requests.'),
  spec('mcp__github__create_issue', 'Creates an issue.'),
  spec('mcp__mail__send', 'Sends an e-mail. Issues nothing.'),
  ...Array.from({ length: 20 }, (_, index) => spec(`weather_${index}`, 'Tells the weather.')),
];

describe('T6: list_tools', () => {
  it('lists every tool by name with its first sentence', async () => {
    const { content } = await run('list_tools', {}, { tools: many });
    expect(content.split('\n')).toHaveLength(many.length);
    expect(content).toContain('mcp__mail__send: Sends an e-mail.\n');
  });

  it('describes those that fit a query, the best first, and offers them from then on', async () => {
    const { content, offers } = await run('list_tools', { query: 'create issue' }, { tools: many });
    expect(offers).toEqual(['mcp__github__create_issue', 'mcp__github__search_issues', 'mcp__mail__send']);
    expect(content).toContain('mcp__github__create_issue: Creates an issue.\nArguments: {"type":"object"}');
    const byName = await run('list_tools', { query: 'mcp__mail__send' }, { tools: many });
    expect(byName.offers?.[0]).toBe('mcp__mail__send');
  });

  it('describes a few at most, and says that there are more', async () => {
    const { content, offers } = await run('list_tools', { query: 'weather' }, { tools: many });
    expect(offers).toHaveLength(8);
    expect(content).toContain('12 more fit');
    const none = await run('list_tools', { query: 'piano' }, { tools: many });
    expect([none.offers, none.content]).toEqual([undefined, expect.stringContaining('No tool fits "piano"')]);
  });
});
