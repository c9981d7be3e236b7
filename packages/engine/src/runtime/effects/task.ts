import { findTask } from '../../core/index.ts';
import type { Runner } from './effect.ts';

/** Sees to a task's session until it has ended, and tells how; what cannot be reached is told too. Repeating it is harmless. */
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
  // It is told by whoever takes the session up next.
  if (ending === null || (signal.aborted && effect.mode === 'run')) return;
  await report({ type: 'task.ended', effect: effect.id, data: { task: order.id, ...ending } });
};
