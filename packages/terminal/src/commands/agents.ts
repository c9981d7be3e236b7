/** Who works, with which model, how freely; and their tasks. */

import { PawlError, permissionModes, todoLine } from '@pawl/protocol';
import { isPermissionMode } from '../model/modes.ts';
import type { Command } from './command.ts';

export const agentCommands: readonly Command[] = [
  {
    name: 'model',
    hint: '[name]',
    description: 'another model, from the next step on',
    async run(words, at) {
      const current = at.model().settings?.model;
      const model = words === '' ? await at.choose('Model', await at.home().models(), current) : words;
      if (model !== null) await at.configure({ model });
    },
  },
  {
    name: 'agent',
    hint: '[name]',
    description: 'another agent, from the next step on',
    async run(words, at) {
      const current = at.model().settings?.agent;
      const agent = words === '' ? await at.choose('Agent', await at.home().agents(), current) : words;
      if (agent !== null) await at.configure({ agent });
    },
  },
  {
    name: 'mode',
    hint: '[mode]',
    description: 'how much happens without a question',
    async run(words, at) {
      const modes = permissionModes.map((mode) => ({ value: mode, label: mode }));
      const mode = words === '' ? await at.choose('Mode', modes, at.model().settings?.mode) : words;
      if (mode === null) return;
      if (!isPermissionMode(mode))
        throw new PawlError('usage', `There is no mode ${mode}: it is one of ${permissionModes.join(', ')}.`);
      await at.configure({ mode });
    },
  },
  {
    name: 'plan',
    hint: '[agent]',
    description: 'have the plan carried out (by builder, if no other is named)',
    async run(words, at) {
      if (at.model().plan === null) throw new PawlError('no_plan', 'There is no plan that waits.');
      const agents = await at.home().agents();
      const agent = words === '' ? await at.choose('Who carries it out', agents, 'builder') : words;
      if (agent !== null) await (await at.needSession()).command('plan.execute', { agent });
    },
  },
  {
    name: 'tasks',
    description: 'list what was delegated; the one that is chosen is cancelled',
    async run(_, at) {
      const session = await at.needSession();
      const { tasks } = await session.view();
      if (tasks.length === 0) {
        at.notice('Nothing was delegated.');
        return;
      }
      const entries = tasks.map(({ task, status, prompt }) => ({
        value: task,
        label: `${task}  ${status}`,
        details: prompt,
      }));
      const task = await at.choose('Tasks; Enter cancels', entries);
      if (task !== null) await session.command('task.cancel', { task });
    },
  },
  {
    name: 'todos',
    description: 'show the agent’s list',
    async run(_, at) {
      const { todos } = await (await at.needSession()).view();
      at.notice(
        todos.length === 0 ? 'The agent has no list.' : todos.map((todo) => `  ${todoLine(todo)}`).join('\n'),
        'plain',
      );
    },
  },
];
