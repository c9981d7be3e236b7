/** Faults in what follows an answer that was cut, wrong, or rests on something that has changed. */
import type { Call } from '@pawl/engine/core';
import { core } from '@pawl/engine/testing';
import type { Mutant } from './mutant.ts';
import { evolveAnd } from './mutant.ts';

export const answerMutants: readonly Mutant[] = [
  {
    name: 'keeps in the history what it says of a cut answer',
    mutation: evolveAnd((state, event) => {
      if (event.type !== 'model.failed' || event.data.error.code !== 'output_cut') return;
      const text = 'Your last answer was cut off at the output limit.';
      state.messages.push({ role: 'user', id: `m${event.seq}`, content: [{ type: 'text', text }], source: 'engine' });
    }),
    finds: ['I8 request'],
  },
  {
    name: 'goes on saying that an answer was cut',
    mutation: evolveAnd((state, event) => {
      const { turn } = state;
      if (turn === null || event.type !== 'tool.finished') return;
      turn.advice ??= { kind: 'answer' };
    }),
    finds: ['I8 request'],
  },
  {
    name: 'does not say that an answer was cut',
    mutation: evolveAnd((state) => {
      if (state.turn !== null) state.turn.advice = null;
    }),
    finds: ['I8 request', 'I7 refusal'],
  },
  {
    name: 'asks for ever for an answer that is cut',
    mutation: evolveAnd((state, event) => {
      if (state.turn !== null && event.type === 'model.failed') state.turn.cuts = Math.min(state.turn.cuts, 1);
    }),
    finds: ['I10 turn'],
  },
  {
    name: 'puts up with malformed calls for ever',
    mutation: evolveAnd((state) => {
      if (state.turn !== null) state.turn.malformedRounds = 0;
    }),
    finds: ['I10 turn'],
  },
  {
    name: 'runs calls that are too many',
    mutation: evolveAnd((state, event) => {
      if (event.type !== 'message.added') return;
      for (const call of state.turn?.calls ?? []) {
        if (call.judgement?.rule === 'check count') Object.assign(call, { status: 'proposed', judgement: null });
      }
    }),
    finds: ['I7 refusal', 'I10 turn'],
  },
  {
    name: 'takes thinking for signed that was signed over another history',
    mutation: evolveAnd((state) => {
      state.signedFrom = 0;
    }),
    finds: ['I8 request'],
  },
  {
    name: 'loses the bytes of files',
    mutation: evolveAnd((state) => {
      state.attachments.length = 0;
    }),
    finds: ['I8 request'],
  },
  {
    name: 'begins what was judged by rules and a mode that have changed',
    mutation: {
      core: {
        evolve(state, event) {
          const isChange = event.type === 'rule.added' || event.type === 'session.configured';
          const before = isChange ? (state.turn?.calls ?? []).map((call): Call => ({ ...call })) : [];
          const next = core.evolve(state, event);
          for (const call of before) {
            const now = next.turn?.calls.find((other) => other.id === call.id);
            if (now !== undefined) Object.assign(now, call);
          }
          return next;
        },
      },
    },
    finds: ['I7 refusal'],
  },
];
