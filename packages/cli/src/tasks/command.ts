/** `pawl tasks`: the tasks of a session and theirs, how they ended, and taking one back. */

import type { State } from '@pawl/engine';
import { createHost } from '@pawl/engine';
import { evolve, initialState } from '@pawl/engine/core';
import { oneLine, visible } from '@pawl/engine/readers/visible';
import { costText } from '@pawl/engine/readers/words';
import type { DurableEvent, TaskView } from '@pawl/protocol';
import { isTaskEnded, PawlError } from '@pawl/protocol';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { deliver } from '../reach/deliver.ts';
import { findSession } from '../sessions/find.ts';
import { noModel } from '../sessions/no-model.ts';
import { withLog } from '../sessions/open.ts';

type Listed = TaskView & { tasks: Listed[] };

/** `pawl tasks list <session>`. */
export async function listTasks(named: string, flags: { json?: true }): Promise<ExitCode> {
  const tasks = await withLog(async (log) => {
    const { session } = await findSession(log, named);
    const host = createHost({ log, model: noModel });
    const below = async (id: string): Promise<Listed[]> => {
      // A task that has not begun has no session yet.
      const isThere = (await log.read(id)).length > 0;
      const view = isThere ? await host.view(id) : { tasks: [] };
      return Promise.all(view.tasks.map(async (task) => ({ ...task, tasks: await below(task.session) })));
    };
    return below(session);
  });
  if (flags.json === true) return print(`${JSON.stringify(tasks, null, 2)}\n`);
  if (tasks.length === 0) printNotice('This session has delegated nothing.');
  return print(tasks.flatMap((task) => rowsOf(task, 0)).join(''));
}

function rowsOf({ tasks, ...task }: Listed, depth: number): string[] {
  const { agent, status, isStalled, prompt, costUsd, task: id, message } = task;
  const state = `${status.replaceAll('_', ' ')}${isStalled ? ', silent for long' : ''}`;
  const why = isTaskEnded(status) && status !== 'completed' ? ` (${oneLine(message ?? '')})` : '';
  const row = `${'  '.repeat(depth)}${oneLine(id)}  ${state}${why}  ${costText(costUsd)}  ${oneLine(agent)}: ${oneLine(prompt)}\n`;
  return [row, ...tasks.flatMap((below) => rowsOf(below, depth + 1))];
}

/** `pawl tasks show <session> <task>`. @throws `no_task`. */
export async function showTask(named: string, id: string, flags: { json?: true }): Promise<ExitCode> {
  const task = await withLog(async (log) => {
    const { session } = await findSession(log, named);
    return taskIn(stateOf(await log.read(session)), id);
  });
  if (flags.json === true) {
    const { pendingCommands: _, calls: __, ...record } = task;
    return print(`${JSON.stringify(record, null, 2)}\n`);
  }
  const { session, status, prompt, scope, tools, history, filesChanged, costUsd, envelope } = task;
  const fields: [string, string][] = [
    ['task', `${task.id} (${status.replaceAll('_', ' ')})`],
    ['session', `${session}, to be read with: pawl sessions show ${session}`],
    ['asked for', prompt],
    ...(scope === undefined ? [] : [['may change', scope.join(', ')] as [string, string]]),
    ...(tools === undefined ? [] : [['tools', tools.join(', ')] as [string, string]]),
    ...history.map(({ instance, reason, outcome, message }): [string, string] => [
      `instance ${instance}`,
      `${instance === 1 ? '' : `${reason} → `}${outcome ?? 'open'}${message === null ? '' : `: ${message}`}`,
    ]),
    ...(envelope === null ? [] : [['summary', envelope.summary] as [string, string]]),
    ['files changed', filesChanged.length === 0 ? 'none' : filesChanged.join(', ')],
    ['cost', costText(costUsd)],
  ];
  return print(fields.map(([name, value]) => `${name}: ${visible(value)}\n`).join(''));
}

/**
 * `pawl tasks cancel <session> <task>`: by whoever drives the session; where nobody does, written into its log, and done
 * when it is gone on with. @throws `no_task`, `task_ended`.
 */
export async function cancelTask(named: string, id: string, flags: { reason?: string }): Promise<ExitCode> {
  const isDriven = await withLog(async (log) => {
    const { session } = await findSession(log, named);
    taskIn(stateOf(await log.read(session)), id);
    const data = { task: id, ...(flags.reason !== undefined && { reason: flags.reason }) };
    return (await deliver(log, { session, type: 'task.cancel', data })).isDriven;
  });
  process.stderr.write(
    isDriven
      ? `Task ${oneLine(id)} is being cancelled.\n`
      : `Task ${oneLine(id)} is cancelled. What it has open is closed when the session is gone on with.\n`,
  );
  return exitCodes.completed;
}

function stateOf(events: readonly DurableEvent[]): State {
  const state = initialState();
  for (const event of events) evolve(state, event);
  return state;
}

function taskIn({ tasks }: State, id: string): State['tasks'][number] {
  const found = tasks.find((task) => task.id === id);
  if (found !== undefined) return found;
  const ids = tasks.map((task) => task.id).join(', ');
  throw new PawlError('no_task', `There is no task "${id}". ${ids === '' ? 'There is none.' : `There are: ${ids}.`}`);
}

async function print(text: string): Promise<ExitCode> {
  const output = openOutput(process.stdout);
  await output.write(text);
  await output.flush();
  return exitCodes.completed;
}
