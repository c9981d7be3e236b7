import { findTask } from '../../core/index.ts';
import type { Runner } from './effect.ts';

/** Hands a letter to a task's session, which takes it once however often it comes. */
export const runLetter: Runner<'letter'> = async (effect, { ports, state, signal, report }) => {
  const task = findTask(state, effect.task);
  const letter = task?.pendingCommands.find(({ id }) => id === effect.letter);
  if (task === undefined || letter === undefined) return;
  const answer = await ports.children.post(task.session, structuredClone(letter), signal);
  if (answer === null) return;
  const { refusal } = answer;
  const data = { task: task.id, letter: letter.id, ...(refusal !== undefined && { refusal }) };
  await report({ type: 'task.delivered', effect: effect.id, data });
};
