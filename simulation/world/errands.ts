/**
 * Turns with a target, and mail between sessions. Only in some worlds, by their seed: the others stay as they are, so
 * that a seed that once showed a fault goes on to do so.
 */
import type { MailRules, ModelPart, Tool, ToolOutcome } from '@pawl/engine';
import type { CommandInput } from '@pawl/protocol';
import type { Book } from '../checks/book.ts';
import type { Stage } from './actions.ts';
import { agent, humans } from './clients.ts';
import type { Input } from './kinds.ts';
import type { Random } from './random.ts';
import type { Owner, Scheduler } from './scheduler.ts';

/** Whether people set targets, and sessions write to each other, in the world of this seed. */
export const isErrand = (seed: number): boolean => seed % 10 === 4;

type ErrandWorld = { scheduler: Scheduler; random: Random; isErrand: boolean; isCalm(): boolean };

/** What calls mean here besides: one ends its turn, some change the agent's list. */
export function errandOutcome(name: string, { path }: Input): Partial<ToolOutcome> {
  if (name === 'ask') return { endsTurn: 'It is done.' };
  if (name !== 'look' || path === '/w/c') return {};
  return { todos: [{ text: 'Sweep', status: path === '/w/a' ? 'pending' : 'completed' }] };
}

/** What a model says that thinks it is done. */
export const endingCall = (): ModelPart[] => [
  { type: 'tool_call', tool: 'ask', input: { path: '/w/a', fate: 'plain' } },
];

/** Loading a validator would take real time, which is not the seed's to decide. */
const anyInput = {
  '~standard': { version: 1 as const, vendor: 'simulation', validate: (value: unknown) => ({ value }) },
};

/** The shell, of which only a person's checks make use. */
export function checkTool({ scheduler, random, isCalm }: ErrandWorld, owner: Owner): Tool {
  return {
    name: 'bash',
    description: 'A simulated shell.',
    input: anyInput,
    inputSchema: { type: 'object' },
    effect: 'external',
    async run(_, { signal }) {
      await scheduler.wait(owner, 'check', signal);
      if (!isCalm() && random.chance(0.1)) await scheduler.wait(owner, 'slow check', signal);
      return isCalm() || random.chance(0.6) ? { content: 'It passes.' } : { content: 'It fails.', isError: true };
    },
  };
}

/** All are of one family; now and then it takes a while to find that out. */
export function mailRules({ scheduler, random, isErrand: isAsked }: ErrandWorld, owner: Owner): MailRules {
  return {
    async mayWrite() {
      if (isAsked && random.chance(0.3)) await scheduler.wait(owner, 'may it write');
      return true;
    },
  };
}

/** Somebody sets a target, writes a mail, takes note of one, or hands one over again that was handed over before. */
export function runErrand(stage: Stage): boolean {
  const { random, clients } = stage;
  const machines = stage.machines().filter((machine) => !machine.isAsleep);
  if (machines.length === 0) return false;
  const session = random.pick(stage.sessions());
  const place = (id: string) => machines.find((one) => one === stage.book(id).driver) ?? random.pick(machines);
  const by = random.chance(0.9) ? random.pick(humans) : agent;
  const errand = random.pick(['target', 'target', 'mail', 'mail', 'fork', 'again', 'note', 'cancel'] as const);
  switch (errand) {
    case 'target':
      clients.command(place(session), session, by, 'input.send', someTarget(random));
      return true;
    case 'mail': {
      const others = [...stage.sessions().filter((id) => id !== session), ...(random.chance(0.1) ? ['nobody'] : [])];
      if (others.length === 0) return false;
      const replyTo = random.chance(0.4) ? mailsIn(stage.book(session))[0] : undefined;
      clients.command(place(session), session, by, 'mail.send', {
        to: random.pick(others),
        kind: random.pick(['progress', 'blocked', 'direction_change']),
        priority: random.pick(['notify', 'notify', 'urgent', 'interrupt']),
        text: `Mail ${random.below(1e6)}`,
        ...(replyTo !== undefined && { replyTo }),
      });
      return true;
    }
    case 'fork':
      if (stage.sessions().length > 1) return false;
      stage.fork(place(session), session);
      return true;
    case 'again': {
      const sent = stage.book(session).events.filter((event) => event.type === 'mail.sent');
      if (sent.length === 0) return false;
      const { to, ...mail } = random.pick(sent).data;
      if (!stage.sessions().includes(to)) return false;
      const from = { kind: 'agent' as const, id: session };
      clients.command(place(to), to, from, 'mail.receive', { ...mail, from: session }, mail.mail);
      return true;
    }
    case 'note': {
      const mails = mailsIn(stage.book(session));
      const mail = mails.length === 0 ? 'none' : random.pick(mails);
      clients.command(place(session), session, by, 'mail.acknowledge', { mail });
      return true;
    }
    case 'cancel':
      if (stage.book(session).state.turn?.loop?.status !== 'verifying') return false;
      clients.command(place(session), session, random.pick(humans), 'turn.cancel', {});
      return true;
    default:
      return errand satisfies never;
  }
}

const mailsIn = ({ state }: Book): string[] => state.mail.inbox.map(({ mail }) => mail);

function someTarget(random: Random): CommandInput['input.send'] {
  const verify = random.chance(0.5) ? { verify: 'check' } : {};
  return {
    content: [{ type: 'text', text: `Reach ${random.below(1e6)}` }],
    delivery: random.pick(['queue', 'queue', 'interrupt', 'steer']),
    target: { maxIterations: 1 + random.below(5), ...verify },
  };
}
