/** What tools may do with the tasks of their session: send commands to the session and wait for its events. */
import type { Command, CommandData, CommandType } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { Call } from '../../core/index.ts';
import { findTask, taskReport, taskView } from '../../core/index.ts';
import type { TaskScope } from '../../ports.ts';
import type { LiveSession } from '../live-session.ts';
import type { EffectContext } from './effect.ts';

const model = { kind: 'agent', id: 'model' } as const;

export function taskScope(
  { ports, state, signal }: Pick<EffectContext, 'ports' | 'state' | 'signal'>,
  call: Pick<Call, 'id'>,
): TaskScope {
  const self = async (): Promise<LiveSession> => {
    const session = await ports.session(state.session);
    if (session !== null) return session;
    throw new PawlError('session_closed', 'The session is not driven here any more.');
  };
  const command = async <Type extends CommandType>(type: Type, data: CommandData[Type], id: string) => {
    const session = await self();
    await session.command({ id, session: state.session, by: model, type, data } as Command);
    return session;
  };
  return {
    own: state.assignment?.task ?? null,
    list: () =>
      state.tasks.map((task) => ({ ...taskView(task), report: task.phase === 'ended' ? taskReport(task) : null })),
    async start(request) {
      const data = { ...request, call: call.id };
      const session = await command('task.start', data, `task:${call.id}`);
      const task = await session.look(({ tasks }) => tasks.find(({ calls }) => calls.includes(call.id)));
      if (task === undefined) throw new PawlError('no_task', 'The task was not begun.');
      return { task: task.id, isSame: task.calls[0] !== call.id };
    },
    async ended(id) {
      const session = await self();
      const events = session.bus.subscribe(undefined, signal);
      const isEnded = await session.look((current) => findTask(current, id)?.phase === 'ended');
      if (isEnded) await events.return();
      for await (const event of events) if (event.type === 'task.ended' && event.data.task === id) break;
      signal.throwIfAborted();
      const task = await session.look((current) => findTask(current, id));
      if (task === undefined) throw new PawlError('no_task', `There is no task "${id}".`);
      return { report: taskReport(task), outcome: task.outcome, session: task.session };
    },
    async send(task, text, delivery) {
      await command('task.send', { task, text, delivery }, `send:${call.id}`);
    },
    async cancel(task, reason) {
      await command('task.cancel', { task, ...(reason !== undefined && { reason }) }, `cancel:${call.id}`);
    },
  };
}
