/** What goes wrong on the way back from an effect: outcomes lost, late, doubled, and for nobody. */
import type { EffectContext, Runners } from '@pawl/engine/testing';
import type { Random } from './random.ts';
import type { Owner, Scheduler } from './scheduler.ts';

type Outcome = Parameters<EffectContext['report']>[0];

/** A report that can be made again later, when nobody waits for it any more. */
export type StaleReport = { owner: Owner; repeat(): void };

export type OutcomeFaults = {
  scheduler: Scheduler;
  random: Random;
  isFaulty(): boolean;
  onStale(report: StaleReport): void;
};

export function withOutcomeFaults(runners: Runners, owner: Owner, faults: OutcomeFaults): Runners {
  const { scheduler, random } = faults;
  const rate = random.pick([0, 0.03, 0.1]);

  /** Once more, some time later. */
  const echo = (from: Owner, label: string, again: () => void): void => {
    let left = 1 + random.below(12);
    const wait = (): void => {
      scheduler.add(from, `echo of ${label}`, () => (--left > 0 ? wait() : again()));
    };
    wait();
  };

  const unreliable = (context: EffectContext): EffectContext['report'] => {
    const repeat = (outcome: Outcome): void => {
      // A repetition that is refused, or comes when the session is gone, has no one to tell.
      context.report(outcome).catch(() => undefined);
    };
    return async (outcome) => {
      // What is rare would else hardly ever go wrong.
      const own = outcome.type === 'tool.outdated' ? rate * 6 : rate;
      if (!faults.isFaulty() || !random.chance(own)) return context.report(outcome);
      const fate = random.pick(['lost', 'late', 'doubled', 'echoed', 'echoed', 'stale', 'foreign'] as const);
      scheduler.note(`${owner.name}: outcome ${outcome.type} is ${fate}`);
      switch (fate) {
        case 'lost':
          return false;
        case 'late':
          await scheduler.wait(owner, `late outcome ${outcome.type}`);
          return context.report(outcome);
        case 'doubled': {
          const first = context.report(outcome);
          repeat(outcome);
          return first;
        }
        case 'echoed': {
          const first = context.report(outcome);
          echo(owner, outcome.type, () => repeat(outcome));
          return first;
        }
        case 'stale':
          faults.onStale({ owner, repeat: () => repeat(outcome) });
          return context.report(outcome);
        case 'foreign':
          repeat(foreign(outcome));
          return context.report(outcome);
        default:
          return fate satisfies never;
      }
    };
  };

  return {
    model: (effect, context) => runners.model(effect, { ...context, report: unreliable(context) }),
    gather: (effect, context) => runners.gather(effect, { ...context, report: unreliable(context) }),
    judge: (effect, context) => runners.judge(effect, { ...context, report: unreliable(context) }),
    tool: (effect, context) => runners.tool(effect, { ...context, report: unreliable(context) }),
    verify: (effect, context) => runners.verify(effect, { ...context, report: unreliable(context) }),
    deliver: (effect, context) => runners.deliver(effect, { ...context, report: unreliable(context) }),
    compact: (effect, context) => runners.compact(effect, { ...context, report: unreliable(context) }),
    timer: (effect, context) => runners.timer(effect, { ...context, report: unreliable(context) }),
    task: (effect, context) => runners.task(effect, { ...context, report: unreliable(context) }),
    forward: (effect, context) => runners.forward(effect, { ...context, report: unreliable(context) }),
  };
}

/** The same outcome, for a call or effect that this session does not have. */
function foreign(outcome: Outcome): Outcome {
  switch (outcome.type) {
    case 'tool.outdated':
      return { ...outcome, effect: `${outcome.effect}9`, data: { ...outcome.data, call: 't99_s9_c9' } };
    case 'tool.finished':
      return { ...outcome, effect: `${outcome.effect}9`, data: { ...outcome.data, call: 't99_s9_c9' } };
    case 'session.opened':
      return outcome;
    default:
      return { ...outcome, effect: `${outcome.effect}9` };
  }
}
