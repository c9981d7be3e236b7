/** Looking at tasks, writing to them, and ending them. */
import type { Tool } from '@pawl/engine';
import { defineTool, objectSchema } from '../tool.ts';
import { tasksOf } from './task.ts';

/** Characters of a prompt that a list shows. */
const shownOfPrompt = 80;

export function tasksTool(): Tool {
  return defineTool<{ task?: string }>({
    name: 'tasks',
    description:
      'Lists your tasks and where they stand; with a task, what it gave. You are told of ends without asking.',
    input: objectSchema({ task: { type: 'string' } }, []),
    effect: 'read',
    isPolling: true,
    audience: 'owner',
    run: async ({ task: wanted }, context) => {
      const all = tasksOf(context).list();
      if (wanted !== undefined) {
        const found = all.find(({ task }) => task === wanted);
        if (found === undefined) return { content: `There is no task "${wanted}".`, isError: true };
        return { content: found.report ?? `Task ${wanted} is ${words(found.status)}.` };
      }
      if (all.length === 0) return { content: 'There are no tasks.' };
      const lines = all.map(({ task, status, isStalled, prompt }) => {
        const line = prompt.replace(/\s+/g, ' ').slice(0, shownOfPrompt).toWellFormed();
        return `${task}: ${words(status)}${isStalled ? ', and silent for long' : ''}: ${line}`;
      });
      return { content: lines.join('\n') };
    },
  });
}

const words = (status: string) => status.replaceAll('_', ' ');

export function taskSendTool(): Tool {
  return defineTool<{ task: string; message: string; delivery?: 'queue' | 'steer' | 'interrupt' }>({
    name: 'task_send',
    description:
      'Sends a message to one of your tasks: it is read before its next step (steer, the default), after what it does (queue), or at once (interrupt). A task that has ended is opened again and works on in the background.',
    input: objectSchema(
      {
        task: { type: 'string' },
        message: { type: 'string', minLength: 1 },
        delivery: { type: 'string', enum: ['queue', 'steer', 'interrupt'] },
      },
      ['task', 'message'],
    ),
    effect: 'read',
    audience: 'owner',
    beginsEarly: false,
    subject: ({ task }) => task,
    run: async ({ task, message, delivery = 'steer' }, context) => {
      await tasksOf(context).send(task, message, delivery);
      return { content: `Sent to ${task}.` };
    },
  });
}

export function taskCancelTool(): Tool {
  return defineTool<{ task: string; reason?: string }>({
    name: 'task_cancel',
    description: 'Stops one of your tasks, and all that it has delegated; the others go on.',
    input: objectSchema({ task: { type: 'string' }, reason: { type: 'string' } }, ['task']),
    effect: 'read',
    audience: 'owner',
    beginsEarly: false,
    subject: ({ task }) => task,
    run: async ({ task, reason }, context) => {
      await tasksOf(context).cancel(task, reason);
      return { content: `Task ${task} is being stopped.` };
    },
  });
}
