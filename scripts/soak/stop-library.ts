/** A tree of tasks that a program drives through the library, stopped in one of the ways that a program has. */
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { createHost } from '@pawl/engine';
import { anthropic } from '@pawl/models';
import { wireServer } from '@pawl/models/testing';
import type { SessionClient } from '@pawl/protocol';
import { isPawlError, isTaskAtRest, messageOf } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { builtinTools } from '@pawl/tools';
import type { Random } from '../../simulation/world/random.ts';
import { answerTo, type Ground, onGround, type TreePlan, treePlan, untilTime } from './tree.ts';

const ways = ['cancel', 'interrupt', 'max_duration', 'task_cancels', 'tool_cancels', 'cancel_twice', 'close'] as const;
type Way = (typeof ways)[number];
export type LibraryPlan = TreePlan & { way: Way };

/** How long anything may take, ms; far longer than it does. */
const patienceMs = 60_000;

export function libraryPlan(random: Random, seed: number): LibraryPlan {
  const tasks = 1 + random.below(8);
  const way = random.pick(ways);
  return { way, ...treePlan(random, seed, tasks) };
}

/** What went wrong, or null. */
export const stopLibrary = (plan: LibraryPlan): Promise<string | null> =>
  onGround(plan, patienceMs, (ground) => stopAndLook(plan, ground));

async function stopAndLook(plan: LibraryPlan, { root, folder, mark }: Ground): Promise<string | null> {
  const isTime = untilTime(plan, mark);
  const isBackground = plan.isBehind || plan.way === 'tool_cancels';
  const owner = {
    isBackground,
    hasShell: isBackground && plan.way !== 'task_cancels',
    ...(plan.way === 'tool_cancels' && { cancelsAfter: isTime }),
  };
  const server = await wireServer((request) => answerTo(request, plan, mark, owner));
  const log = sqliteLog({ path: join(root, 'pawl.db') });
  const model = anthropic({ model: 'claude-sonnet-4-5', baseUrl: server.url, apiKey: 'test-key' });
  const host = () => createHost({ log, model, tools: builtinTools() });
  let driving = host();
  try {
    let session = await driving.create({ id: 'main', cwd: folder, mode: 'auto', limits: { steps: 10 } });
    const begun = Date.now();
    const faults: string[] = [];
    watch(session, faults);
    const turn = session.run('Begin.').then(
      ({ outcome }) => outcome,
      (error: unknown) => `ended by ${isPawlError(error) ? error.code : messageOf(error)}`,
    );
    await isTime;
    if (plan.way === 'max_duration') await session.configure({ limits: { durationMs: Date.now() - begun + 1 } });
    const problem = await stop(plan, session, driving.close);
    if (plan.way === 'close') {
      driving = host();
      session = await driving.open('main');
      watch(session, faults);
      // What was left open is gone on with; now it is stopped for good.
      await session.cancel().catch(() => undefined);
    }
    const outcome = await turn;
    const isExpected =
      plan.way === 'close' ? outcome === 'ended by session_closed' : expected[plan.way].includes(outcome);
    if (problem !== null) return problem;
    if (!isExpected && outcome !== 'completed') return `The turn is ${outcome}.`;
    if (plan.way === 'max_duration') await session.configure({ limits: { durationMs: null } });
    const answer = await session.run('Are you there?');
    if (answer.outcome !== 'completed' || answer.text !== 'Yes.') {
      return `The next input ends as ${answer.outcome}: ${answer.message} ${answer.text}`;
    }
    await tasksOver(session);
    return faults[0] ?? null;
  } finally {
    await driving.close();
    await log.close();
    await server.close();
  }
}

const expected: Record<Exclude<Way, 'close'>, readonly string[]> = {
  cancel: ['cancelled'],
  cancel_twice: ['cancelled'],
  interrupt: ['cancelled'],
  max_duration: ['max_duration'],
  task_cancels: ['completed'],
  tool_cancels: ['completed'],
};

/** Faults of the engine, wherever they show. */
function watch(session: SessionClient, faults: string[]): void {
  (async () => {
    for await (const event of session.events()) {
      if (event.type === 'notice' && event.data.level === 'error') faults.push(event.data.message);
    }
  })().catch((error: unknown) => faults.push(`The events end with: ${messageOf(error)}`));
}

/** Stops all that is at work; what is wrong with how that goes, or null. */
async function stop(
  { way, tasks }: LibraryPlan,
  session: SessionClient,
  close: () => Promise<void>,
): Promise<string | null> {
  switch (way) {
    case 'cancel':
    case 'cancel_twice':
      // The turn may not have begun yet.
      do {
        await Promise.all(Array.from({ length: way === 'cancel' ? 1 : 2 }, () => isAccepted(session.cancel())));
        await after(10);
      } while ((await session.view()).turn !== null);
      return null;
    case 'interrupt': {
      const { text } = await session.run('Are you there?', { delivery: 'interrupt' });
      return text === 'Yes.' ? null : `The input that interrupts is answered with "${text}".`;
    }
    case 'task_cancels': {
      // As they are asked for, one after another, until each of them is stopped.
      const left = new Set(Array.from({ length: tasks }, (_, place) => `builder-${place + 1}`));
      while (left.size > 0 && (await session.view()).turn !== null) {
        const asked = [...left].map(async (task) => {
          if (await isAccepted(session.command('task.cancel', { task }))) left.delete(task);
        });
        await Promise.all(asked);
        await after(10);
      }
      return null;
    }
    case 'max_duration':
    case 'tool_cancels':
      return null;
    case 'close':
      await close();
      return null;
    default:
      return way satisfies never;
  }
}

/** Whether a command was accepted; a refusal is an answer like another, as when there is no turn yet. */
function isAccepted(receipt: Promise<unknown>): Promise<boolean> {
  return receipt.then(
    () => true,
    (error: unknown) => {
      if (isPawlError(error, 'engine_fault')) throw error;
      return false;
    },
  );
}

async function tasksOver(session: SessionClient): Promise<void> {
  while ((await session.view()).tasks.some(({ status }) => !isTaskAtRest(status))) await after(20);
}
