import { findTask } from '../../core/index.ts';
import type { Runner } from './effect.ts';

/** Drives a task's session until it ends, and reports how it ended or that it cannot be reached. Repeating it is harmless. */
export const runTask: Runner<'task'> = async (effect, context) => {
  const { ports, state, signal, report, broadcast } = context;
  const task = findTask(state, effect.task);
  if (task === undefined) return;
  const order = structuredClone(task);
  const ending =
    effect.mode === 'stop'
      ? await ports.children.stop(state, order, signal)
      : await ports.children.follow(state, order, {
          signal,
          async changed(change) {
            if (change.isStalled === true) {
              const message = `Nothing was heard of task ${order.id} for some time. It may be stuck; it can be cancelled.`;
              broadcast({ type: 'notice', data: { level: 'warning', code: 'task_stalled', message } });
            }
            await report({ type: 'task.changed', effect: effect.id, data: { task: order.id, ...change } });
          },
        });
  // The next driver of the session reports it.
  if (ending === null || (signal.aborted && effect.mode === 'run')) return;
  await report({ type: 'task.ended', effect: effect.id, data: { task: order.id, ...ending } });
};
