/** Faults in what is begun while an answer streams. */
import { canonicalJson } from '@pawl/engine/core';
import type { EffectContext } from '@pawl/engine/testing';
import { runners } from '@pawl/engine/testing';
import { kindOf } from '../world/kinds.ts';
import type { Mutation } from '../world/machine.ts';
import { verdictOn } from '../world/policy.ts';
import type { Mutant } from './mutant.ts';

type Speculation = EffectContext['speculation'];
type Early = Parameters<Speculation['offer']>[0];
type Taken = NonNullable<ReturnType<Speculation['take']>>;

/** Spoils the early calls of each session, once. */
function speculating(spoil: (speculation: Speculation, context: EffectContext) => void): Mutation {
  const spoilt = new WeakSet<Speculation>();
  return {
    runners: {
      async model(effect, context) {
        if (!spoilt.has(context.speculation)) spoil(context.speculation, context);
        spoilt.add(context.speculation);
        return runners.model(effect, context);
      },
    },
  };
}

type Choice = (early: Early, before: readonly Early[], context: EffectContext) => boolean;

/** Begins some calls as soon as they are told of, whatever else holds, and stops them as it should. */
function beginning(isChosen: Choice, isKept = false): Mutation {
  return speculating((speculation, context) => {
    const offer = speculation.offer.bind(speculation);
    const discard = speculation.discard.bind(speculation);
    const take = speculation.take.bind(speculation);
    let controller = new AbortController();
    let told: Early[] = [];
    const begun = new Map<string, Taken>();
    speculation.offer = (early) => {
      offer(early);
      if (isChosen(early, told, context)) begun.set(early.id, begin(early, context, controller.signal));
      told.push(early);
    };
    speculation.discard = () => {
      discard();
      controller.abort();
      controller = new AbortController();
      told = [];
      begun.clear();
    };
    speculation.take = (call, signal) => {
      const early = told.find(({ id }) => id === call.id);
      const isSame = early !== undefined && canonicalJson(early.input) === canonicalJson(call.input);
      const run = isSame && isKept ? begun.get(call.id) : undefined;
      return run === undefined ? take(call, signal) : Promise.race([run, stopped(signal)]);
    };
  });
}

async function begin({ id, tool, input }: Early, { ports, state }: EffectContext, signal: AbortSignal): Taken {
  const scope = { session: state.session, cwd: state.settings.cwd, call: id, signal, blobs: ports.blobs };
  const known = { ...scope, lastSeen: () => null };
  try {
    const chosen = ports.tools.get(tool);
    if (chosen === undefined) throw new Error(`There is no tool ${tool}.`);
    const { basis = null } = (await chosen.plan?.(input, known)) ?? {};
    if (signal.aborted || state.turn?.phase !== 'model') throw new Error('The answer is whole.');
    const outcome = await chosen.run(input, { ...known, progress: () => undefined, paths: [], basis });
    return { ending: { status: 'ok', content: outcome.content, details: outcome.details ?? {} } };
  } catch (error) {
    return { ending: { status: 'error', content: String(error) } };
  }
}

function stopped(signal: AbortSignal): Taken {
  return new Promise((resolve) => {
    const stop = () => resolve({ ending: { status: 'cancelled', content: 'Cancelled.' } });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

const isRead = ({ tool, input }: Early): boolean =>
  kindOf(tool)?.effect === 'read' && kindOf(tool)?.isInput(input) === true;

const isAllowed = ({ tool, input }: Early, { state }: EffectContext): boolean =>
  verdictOn(state.settings, tool, input) === 'allow';

export const earlyMutants: readonly Mutant[] = [
  {
    name: 'begins a change while the answer streams',
    mutation: beginning((early, _, context) => !isRead(early) && isAllowed(early, context)),
    finds: ['I18 early'],
  },
  {
    name: 'begins a read early that it should ask about, or refuse',
    mutation: beginning((early, _, context) => isRead(early) && !isAllowed(early, context)),
    finds: ['I18 early'],
  },
  {
    name: 'begins any number of reads at once',
    mutation: beginning((early, before, context) => isRead(early) && isAllowed(early, context) && before.every(isRead)),
    finds: ['I18 early'],
  },
  {
    name: 'reads early what stands after a change, and keeps that',
    mutation: beginning(
      (early, before, context) => isRead(early) && isAllowed(early, context) && before.some((other) => !isRead(other)),
      true,
    ),
    finds: ['I19 held'],
  },
  {
    name: 'begins a read early after the turn was cancelled',
    mutation: speculating((speculation, context) => {
      const offer = speculation.offer.bind(speculation);
      const discard = speculation.discard.bind(speculation);
      let told: Early[] = [];
      speculation.offer = (early) => {
        offer(early);
        if (isRead(early)) told.push(early);
      };
      speculation.discard = () => {
        discard();
        const isCancelled = context.state.turn?.cancel != null;
        // However it ends, nothing comes of it.
        if (isCancelled)
          for (const early of told) begin(early, context, new AbortController().signal).catch(() => null);
        told = [];
      };
    }),
    finds: ['I18 early', 'I3 intent', 'I5 cancel'],
  },
  {
    name: 'forgets to throw away what was begun early',
    mutation: speculating((speculation) => {
      speculation.discard = () => undefined;
    }),
    finds: ['I18 early', 'I19 held'],
  },
  {
    name: 'gives a call what was read early with other arguments',
    mutation: speculating((speculation) => {
      const offer = speculation.offer.bind(speculation);
      const take = speculation.take.bind(speculation);
      const told = new Map<string, Early>();
      speculation.offer = (early) => {
        offer(early);
        told.set(early.id, early);
      };
      speculation.take = (call, signal) => {
        const { tool, input } = told.get(call.id) ?? call;
        return take({ ...call, tool, input }, signal);
      };
    }),
    finds: ['I19 held'],
  },
  {
    name: 'gives what was read early to every call that asks for the same',
    mutation: speculating((speculation) => {
      const take = speculation.take.bind(speculation);
      const taken = new Map<string, Taken>();
      speculation.take = (call, signal) => {
        const key = canonicalJson([call.tool, call.input]);
        const run = taken.get(key) ?? take(call, signal);
        if (run !== null) taken.set(key, run);
        return run;
      };
    }),
    finds: ['I19 held', 'I15 rest'],
  },
];
