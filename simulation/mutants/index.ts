/** Deliberate faults of the engine. The simulator is worth something only if it finds each of them. */
import type { State } from '@pawl/engine/core';
import { core, runners } from '@pawl/engine/testing';
import type { EventBody } from '@pawl/protocol';
import { answerMutants } from './answers.ts';
import { compactionMutants } from './compaction.ts';
import { demandMutants } from './demands.ts';
import { earlyMutants } from './early.ts';
import { errandMutants } from './errands.ts';
import type { Mutant } from './mutant.ts';
import { evolveAnd } from './mutant.ts';
import { questionMutants } from './questions.ts';
import { repeatsMutants } from './repeats.ts';
import { surroundingsMutants } from './surroundings.ts';

/** The state with the calls of its turn changed, for one question about it. */
function withCalls(state: State, change: (call: NonNullable<State['turn']>['calls'][number]) => object): State {
  if (state.turn === null) return state;
  return { ...state, turn: { ...state.turn, calls: state.turn.calls.map((call) => ({ ...call, ...change(call) })) } };
}

const uncancelled = (state: State): State =>
  state.turn === null ? state : { ...state, turn: { ...state.turn, cancel: null } };

export const mutants: readonly Mutant[] = [
  {
    name: 'runs the body of a call before its intent is in the log',
    mutation: {
      runners: {
        async judge(effect, context) {
          await runners.judge(effect, {
            ...context,
            async report(outcome) {
              const isAllowed = outcome.type === 'tool.judged' && outcome.judgement.verdict === 'allow';
              const call = context.state.turn?.calls.find((other) => other.id === effect.call);
              const tool = call === undefined ? undefined : context.ports.tools.get(call.tool);
              if (isAllowed && call !== undefined && tool !== undefined) {
                const { session, settings } = context.state;
                const { ports, signal } = context;
                const scope = { session, cwd: settings.cwd, call: call.id, signal, blobs: ports.blobs };
                const more = { lastSeen: () => null, progress: () => undefined, paths: [], basis: null };
                tool.run(call.input, { ...scope, ...more }).catch(() => undefined);
              }
              return context.report(outcome);
            },
          });
        },
      },
    },
    finds: ['I3 intent'],
  },
  {
    name: 'runs a write again after a crash',
    mutation: {
      runners: {
        tool: (effect, context) =>
          runners.tool(effect.mode === 'recover' ? { ...effect, mode: 'run' } : effect, context),
      },
    },
    finds: ['I4 once'],
  },
  {
    name: 'owes a run to a call that a driver before it began',
    mutation: { core: { due: (state) => core.due(withCalls(state, () => ({ isInterrupted: false }))) } },
    finds: ['I12 due'],
  },
  {
    name: 'counts a second outcome of a call',
    mutation: {
      core: {
        decide(state, command) {
          if (!('id' in command) && command.type === 'tool.finished') {
            return { type: 'accepted', events: [{ type: 'tool.finished', data: command.data }] };
          }
          return core.decide(state, command);
        },
      },
    },
    finds: ['I2 result'],
  },
  {
    name: 'forgets to stop what runs when a turn is cancelled',
    mutation: { core: { due: (state) => core.due(uncancelled(state)) } },
    finds: ['I15 rest', 'I5 cancel', 'I18 early'],
  },
  {
    name: 'begins calls after a cancel',
    mutation: { core: { settle: (state) => core.settle(state.turn?.phase === 'tools' ? uncancelled(state) : state) } },
    finds: ['I5 cancel', 'I15 rest'],
  },
  {
    name: 'gives results out of order',
    mutation: evolveAnd((state, event) => {
      const last = state.messages.at(-1);
      if (event.type === 'tool.finished' && last?.id === `m${event.seq}` && last.role === 'tool')
        last.results.reverse();
    }),
    finds: ['I8 request'],
  },
  {
    name: 'writes wherever the log stands',
    mutation: { log: { ignoresExpectedSeq: true } },
    finds: ['I1 sequence'],
  },
  {
    name: 'drops an input that steers',
    mutation: evolveAnd((state, event) => {
      if (event.type === 'step.started') state.queue = state.queue.filter((input) => input.delivery !== 'steer');
      if (event.type === 'input.queued' && event.data.delivery === 'steer' && state.turn?.phase === 'tools') {
        state.queue = state.queue.filter((input) => input.id !== event.data.input);
      }
    }),
    finds: ['I9 input'],
  },
  {
    name: 'takes an input twice',
    mutation: {
      core: {
        settle: (state) =>
          core
            .settle(state)
            .flatMap((event): EventBody[] => (event.type === 'message.added' ? [event, event] : [event])),
      },
    },
    finds: ['I9 input'],
  },
  {
    name: 'lets an agent answer an approval',
    mutation: {
      core: {
        decide: (state, command) =>
          core.decide(
            state,
            'id' in command && command.type === 'approval.resolve'
              ? { ...command, by: { ...command.by, kind: 'human' } }
              : command,
          ),
      },
    },
    finds: ['I6 approval'],
  },
  {
    name: 'takes a refusal for an approval',
    mutation: evolveAnd((state, event) => {
      if (event.type !== 'approval.resolved' || event.data.decision !== 'deny') return;
      for (const call of state.turn?.calls ?? []) if (call.id === event.data.call) call.status = 'allowed';
    }),
    finds: ['I7 refusal'],
  },
  {
    name: 'runs what nobody was there to allow',
    mutation: evolveAnd((state, event) => {
      if (event.type !== 'tool.judged' || state.settings.isAttended) return;
      for (const call of state.turn?.calls ?? []) if (call.status === 'asking') call.status = 'allowed';
    }),
    finds: ['I7 refusal'],
  },
  {
    name: 'forgets which commands it accepted',
    mutation: evolveAnd((state) => state.commands.clear()),
    finds: ['I14 command', 'I9 input'],
  },
  {
    name: 'runs calls that conflict at the same time',
    mutation: {
      core: {
        settle: (state) =>
          core.settle(withCalls(state, ({ id, claims }) => ({ claims: claims && { ...claims, paths: [id] } }))),
      },
    },
    finds: ['I16 parallel'],
  },
  {
    name: 'does not end a turn that was cancelled between its steps',
    mutation: {
      core: {
        settle: (state) => (state.turn?.phase === 'between' && state.turn.cancel !== null ? [] : core.settle(state)),
      },
    },
    finds: ['I15 rest'],
  },
  {
    name: 'keeps in its state what is not in the log',
    mutation: {
      core: {
        decide(state, command) {
          const decision = core.decide(state, command);
          if (decision.type === 'refused') state.stage = decision.code;
          return decision;
        },
      },
    },
    finds: ['I11 replay'],
  },
  {
    name: 'ends a turn with calls still open',
    mutation: evolveAnd((state, event) => {
      if (event.type === 'tool.finished' && event.data.status === 'error' && state.turn !== null)
        state.turn.phase = 'between';
    }),
    finds: ['I10 turn', 'I2 result', 'I8 request'],
  },
  {
    name: 'never stops a call of the model',
    mutation: {
      runners: {
        model: (effect, context) =>
          runners.model(effect, { ...context, signal: new AbortController().signal, report: context.report }),
      },
    },
    finds: ['I15 rest', 'I18 early'],
  },
  {
    name: 'takes what a call did before it was judged again for what it does after',
    from: 1001,
    mutation: {
      core: {
        decide(state, command) {
          if ('id' in command || (command.type !== 'tool.outdated' && command.type !== 'tool.finished')) {
            return core.decide(state, command);
          }
          const call = state.turn?.calls.find((other) => other.id === command.data.call);
          return core.decide(
            state,
            call === undefined ? command : { ...command, effect: `tool:${call.id}:${call.round}` },
          );
        },
      },
    },
    finds: ['I4 once', 'I3 intent'],
  },
  {
    name: 'leaves a promise to nobody',
    mutation: {
      runners: {
        async timer(effect, context) {
          // biome-ignore lint/nursery/noFloatingPromises: this is the fault.
          Promise.reject(new Error('Nobody looks at this.'));
          await runners.timer(effect, context);
        },
      },
    },
    finds: ['I17 ending'],
  },
  ...earlyMutants,
  ...questionMutants,
  ...answerMutants,
  ...surroundingsMutants,
  ...errandMutants,
  ...compactionMutants,
  ...demandMutants,
  ...repeatsMutants,
];
