/** Faults in what is refused because it repeats itself, or because it never was a call. */
import type { State } from '@pawl/engine/core';
import { runners } from '@pawl/engine/testing';
import type { Mutant } from './mutant.ts';
import { evolveAnd } from './mutant.ts';

/** What a judge looks at, changed. */
function judging(change: (state: Readonly<State>) => State): Mutant['mutation'] {
  return {
    runners: { judge: (effect, context) => runners.judge(effect, { ...context, state: change(context.state) }) },
  };
}

const withCalls = (state: Readonly<State>, doneCalls: NonNullable<State['turn']>['doneCalls']): State =>
  state.turn === null ? state : { ...state, turn: { ...state.turn, doneCalls } };

/** Calls of turns that have ended. */
const former = new WeakMap<State, NonNullable<State['turn']>['doneCalls']>();

export const repeatsMutants: readonly Mutant[] = [
  {
    name: 'takes what was asked for in another turn for a repetition',
    mutation: evolveAnd((state, event) => {
      if (event.type === 'tool.finished' && state.turn !== null) former.set(state, [...state.turn.doneCalls]);
      if (event.type === 'turn.started' && state.turn !== null) state.turn.doneCalls = [...(former.get(state) ?? [])];
    }),
    finds: ['I39 loop', 'I11 replay'],
  },
  {
    name: 'does not see that a file was changed by its owner',
    mutation: {
      runners: {
        judge: (effect, context) =>
          runners.judge(effect, {
            ...context,
            ports: { ...context.ports, readFile: async (path) => new TextEncoder().encode(path) },
          }),
      },
    },
    finds: ['I39 loop'],
  },
  {
    name: 'lets a write be made for ever',
    mutation: judging((state) =>
      withCalls(
        state,
        state.turn?.doneCalls.map((call, place) =>
          call.effect === 'read' ? call : { ...call, content: `${call.content} ${place}` },
        ) ?? [],
      ),
    ),
    finds: ['I39 loop'],
  },
  {
    name: 'takes no notice of what was changed between',
    mutation: judging((state) =>
      withCalls(state, state.turn?.doneCalls.map((call) => ({ ...call, effect: 'read' as const, known: {} })) ?? []),
    ),
    finds: ['I39 loop'],
  },
  {
    name: 'tells what is no JSON that it repeats itself',
    mutation: {
      runners: {
        judge: (effect, context) =>
          runners.judge(effect, {
            ...context,
            report: (outcome) => {
              if (outcome.type !== 'tool.judged' || outcome.judgement.rule !== 'check arguments') {
                return context.report(outcome);
              }
              const rounds = context.state.turn?.malformedRounds ?? 0;
              const rule = rounds >= 2 ? 'check loop' : outcome.judgement.rule;
              return context.report({ ...outcome, judgement: { ...outcome.judgement, rule } });
            },
          }),
      },
    },
    finds: ['I39 loop'],
  },
];
