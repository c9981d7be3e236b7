/** Engines that see to tasks in a wrong way, each of which some invariant has to find. */
import { noUsage } from '@pawl/engine/core';
import { core, runners } from '@pawl/engine/testing';
import { PawlError } from '@pawl/protocol';
import type { Mutant } from '../mutants/mutant.ts';

/** Stops that are under way, by the state of their session. */
const underWay = new WeakMap<object, Set<AbortController>>();

/** One stop calls off the others of its session, for the reason for which the log stops things. */
async function stoppedByOthers(...[effect, context]: Parameters<typeof runners.task>): Promise<void> {
  if (effect.mode !== 'stop') return runners.task(effect, context);
  const controller = new AbortController();
  const others = underWay.get(context.state) ?? new Set();
  for (const other of others) other.abort(new PawlError('cancelled', 'Cancelled by another stop.'));
  underWay.set(context.state, others.add(controller));
  try {
    await runners.task(effect, { ...context, signal: AbortSignal.any([context.signal, controller.signal]) });
  } finally {
    others.delete(controller);
  }
}

export const treeMutants: readonly Mutant[] = [
  {
    name: 'gives a task its work again',
    mutation: {
      core: {
        decide(state, command) {
          const { assignment } = state;
          const decision = core.decide(state, command);
          const isAssign = 'id' in command && command.type === 'task.assign' && assignment !== null;
          if (!isAssign || decision.type !== 'accepted') return decision;
          return { ...decision, events: [...decision.events, ...decision.events] };
        },
      },
    },
    finds: ['I31 once'],
  },
  {
    name: 'keeps the end of a failed task to itself',
    mutation: {
      runners: {
        task: (effect, context) =>
          runners.task(effect, {
            ...context,
            report: (outcome) =>
              outcome.type === 'task.ended' && outcome.data.outcome === 'failed'
                ? new Promise<never>(() => undefined)
                : context.report(outcome),
          }),
      },
    },
    finds: ['I28 waiting', 'I27 task'],
  },
  {
    name: 'ends a turn before the tasks that it waits for',
    mutation: {
      core: {
        settle: (state) =>
          core.settle({ ...state, tasks: state.tasks.map((task) => ({ ...task, isJoined: false, turn: 0 })) }),
      },
    },
    finds: ['I28 waiting'],
  },
  {
    name: 'gives every task all that there is',
    mutation: {
      core: {
        settle: (state) =>
          core.settle(state).map((event) => {
            const limit = state.settings.limits.sessionTokens;
            if (event.type !== 'task.started' || limit === null) return event;
            return { ...event, data: { ...event.data, allotment: { ...event.data.allotment, tokens: limit } } };
          }),
      },
    },
    finds: ['I29 budget'],
  },
  {
    name: 'lets a task do what its owner was denied',
    mutation: {
      runners: {
        task(effect, context) {
          const { settings } = context.state;
          const rules = { deny: [], ask: [], allow: [] };
          return runners.task(effect, { ...context, state: { ...context.state, settings: { ...settings, rules } } });
        },
      },
    },
    finds: ['I30 deny'],
  },
  {
    name: 'begins the same work twice',
    mutation: {
      core: {
        decide: (state, command) =>
          core.decide(
            'id' in command && command.type === 'task.start'
              ? { ...state, tasks: state.tasks.map((task) => ({ ...task, key: task.id })) }
              : state,
            command,
          ),
      },
    },
    finds: ['I31 once'],
  },
  {
    name: 'forgets what a task has used',
    mutation: {
      runners: {
        task: (effect, context) =>
          runners.task(effect, {
            ...context,
            report: (outcome) =>
              context.report(
                outcome.type === 'task.ended' ? { ...outcome, data: { ...outcome.data, usage: noUsage } } : outcome,
              ),
          }),
      },
    },
    finds: ['I32 sum'],
  },
  {
    name: 'begins what was cancelled before it began',
    mutation: {
      core: {
        settle: (state) =>
          core.settle(state).map((event) => {
            const isQueued = state.tasks.some(
              ({ id, phase }) => 'task' in event.data && id === event.data.task && phase === 'queued',
            );
            if (event.type !== 'task.ended' || event.data.outcome !== 'cancelled' || !isQueued) return event;
            const { task, instance } = event.data;
            const allotment = { steps: 1, tokens: null, usd: null, durationMs: 1000 };
            return { type: 'task.started' as const, data: { task, instance, allotment } };
          }),
      },
    },
    finds: ['I33 cancel', 'I29 budget'],
  },
  {
    name: 'stops what does the stopping, as soon as there is another thing to stop',
    mutation: { runners: { task: stoppedByOthers } },
    finds: ['I33 cancel'],
  },
];
