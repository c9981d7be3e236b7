import { findTask } from '../../core/index.ts';
import type { Runner } from './effect.ts';

/** Sends a command to a task's session. Repeating it is harmless: a command is accepted once. */
export const runForward: Runner<'forward'> = async (effect, { ports, state, signal, report }) => {
  const task = findTask(state, effect.task);
  const command = task?.pendingCommands.find(({ id }) => id === effect.command);
  if (task === undefined || command === undefined) return;
  const answer = await ports.children.forward(task.session, structuredClone(command), signal);
  if (answer === null) return;
  const { refusal } = answer;
  const data = { task: task.id, letter: command.id, ...(refusal !== undefined && { refusal }) };
  await report({ type: 'task.delivered', effect: effect.id, data });
};
