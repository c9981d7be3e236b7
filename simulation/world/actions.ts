/** What people, agents and bad luck do next. Every action starts something; none waits. */
import type { CommandInput, CommandType, Identity } from '@pawl/protocol';
import type { Book } from '../checks/book.ts';
import { answerTo, modes, ruleOf, someFile, someRule, someSettings, textOf } from './choices.ts';
import type { Clients } from './clients.ts';
import { agent, humans } from './clients.ts';
import type { Machine } from './machine.ts';
import type { StaleReport } from './outcomes.ts';
import type { Random } from './random.ts';
import { swarm } from './random.ts';
import type { Subscriber } from './subscribers.ts';

export type Stage = {
  random: Random;
  clients: Clients;
  machines(): Machine[];
  sessions(): string[];
  book(session: string): Book;
  subscribers: Subscriber[];
  stale: StaleReport[];
  /** Keeps bytes where every machine finds them; the digest. */
  keep(bytes: Uint8Array): string;
  startMachine(): Machine;
  crash(machine: Machine): void;
  shutDown(machine: Machine): void;
  fork(machine: Machine, session: string): void;
  subscribe(session: string): Subscriber;
};

const weights = {
  send: 16,
  follow: 4,
  edit: 3,
  remove: 2,
  add_context: 3,
  feedback: 1,
  cancel: 6,
  answer: 14,
  answer_twice: 2,
  answer_as_agent: 2,
  race_cancel: 2,
  review: 3,
  continue: 3,
  retry: 2,
  pause: 2,
  resume: 3,
  configure: 4,
  change_rules: 2,
  unsettle: 5,
  repeat: 4,
  reuse: 1,
  view: 2,
  fork: 1,
  subscribe: 2,
  disconnect: 2,
  crash: 3,
  sleep: 3,
  wake: 3,
  join: 2,
  shut_down: 1,
  close: 1,
  repeat_outcome: 3,
} as const;

export type Weights = Record<keyof typeof weights, number>;

/** What this seed is inclined to do. */
export const inclinations = (random: Random): Weights => swarm(random, weights);

/** Does one thing, chosen by the seed. */
export function act(stage: Stage, inclined: Weights): void {
  const { random, clients } = stage;
  const someText = () => textOf(random);
  const someContent = () => [...someText(), ...(random.chance(0.1) ? [someFile(random, stage.keep)] : [])];
  const awake = stage.machines().filter((machine) => !machine.isAsleep);
  const session = random.pick(stage.sessions());
  const book = stage.book(session);
  const machine = chooseMachine(stage, book, awake);
  const by: Identity = random.chance(0.8) ? random.pick(humans) : agent;
  const command = <Type extends CommandType>(type: Type, data: CommandInput[Type], who = by) =>
    clients.command(machine, session, who, type, data);
  const anyInput = () => {
    const known = [...book.inputs.values()];
    const queued = known.filter((input) => input.state === 'queued');
    const choice = queued.length > 0 && random.chance(0.8) ? queued : known;
    return choice.length === 0 ? 'none' : random.pick(choice).id;
  };
  const openCall = () => {
    const asked = book.turn?.calls.filter((call) => call.hasOpenQuestion) ?? [];
    const any = asked.length > 0 && random.chance(0.9) ? asked : [...book.calls.values()];
    return any.length === 0 ? 't1_s1_c1' : random.pick(any).id;
  };
  const answer = (who: Identity) => command('approval.resolve', answerTo(openCall(), random), who);

  const action = random.weighted(inclined);
  switch (action) {
    case 'send':
      command('input.send', {
        content: someContent(),
        delivery: random.pick(['queue', 'queue', 'steer', 'interrupt', 'reject']),
        ...(random.chance(0.1) && { review: true }),
      });
      return;
    case 'follow': {
      const before = clients.waiting.filter((waiting) => waiting.session === session);
      if (before.length > 0 && random.chance(0.3)) {
        const { input, text } = random.pick(before);
        clients.follow(machine, session, by, text, input);
      } else clients.follow(machine, session, by, `Input ${random.below(1e6)}`);
      return;
    }
    case 'edit':
      command('input.edit', { input: anyInput(), content: someText() });
      return;
    case 'remove':
      command('input.remove', { input: anyInput() });
      return;
    case 'add_context':
      command('context.add', { content: someContent() });
      return;
    case 'feedback':
      command('feedback', { text: `Feedback ${random.below(1e6)}` });
      return;
    case 'cancel':
      command('turn.cancel', { reason: 'Enough.', queue: random.pick(['run', 'wait', 'commit']) });
      return;
    case 'answer':
      answer(random.pick(humans));
      return;
    case 'answer_twice': {
      const call = openCall();
      for (const human of humans) command('approval.resolve', answerTo(call, random), human);
      return;
    }
    case 'answer_as_agent':
      answer(agent);
      return;
    case 'race_cancel': {
      const steps = [() => answer(random.pick(humans)), () => command('turn.cancel', {})];
      if (random.chance(0.5)) steps.reverse();
      for (const step of steps) step();
      return;
    }
    case 'review':
      command('review.resolve', { decision: random.pick(['approve', 'reject']) });
      return;
    case 'continue':
      command('turn.continue', {});
      return;
    case 'retry':
      command('turn.retry', {});
      return;
    case 'pause':
      command('session.pause', {});
      return;
    case 'resume':
      command('session.resume', {});
      return;
    case 'configure':
      command('session.configure', someSettings(random));
      return;
    case 'change_rules':
      command(random.pick(['rule.add', 'rule.add', 'rule.remove']), someRule(random));
      return;
    case 'unsettle': {
      // What was judged, asked about or begun early rests on rules and a mode that change under it.
      const uncertain = stage.sessions().filter((id) => isUncertain(stage.book(id)));
      const where = uncertain.length === 0 ? session : random.pick(uncertain);
      unsettle(stage, where, chooseMachine(stage, stage.book(where), awake));
      return;
    }
    case 'repeat': {
      const unanswered = clients.sent.filter((sent) => sent.answer === null && sent.machine.isDead);
      const choice = unanswered.length > 0 && random.chance(0.8) ? unanswered : clients.sent;
      if (choice.length > 0) clients.repeat(random.pick(choice), machine);
      return;
    }
    case 'reuse': {
      const inputs = clients.sent.filter((sent) => sent.type === 'input.send');
      if (inputs.length === 0) return;
      const { id, session: where } = random.pick(inputs);
      clients.command(machine, where, by, 'context.add', { content: someText() }, id);
      return;
    }
    case 'view':
      machine.host.view(session).then(
        (view) => {
          if (view.session !== session) clients.checkError(new Error('a view of another session'), 'a view');
        },
        (error: unknown) => clients.checkError(error, 'a view'),
      );
      return;
    case 'fork':
      if (stage.sessions().length < 3) stage.fork(machine, session);
      return;
    case 'subscribe':
      stage.subscribe(session).connect(machine);
      return;
    case 'disconnect': {
      if (stage.subscribers.length === 0) return;
      const subscriber = random.pick(stage.subscribers);
      subscriber.disconnect();
      if (random.chance(0.7)) subscriber.connect(machine);
      return;
    }
    case 'crash':
      stage.crash(machine);
      return;
    case 'sleep':
      machine.isAsleep = true;
      return;
    case 'wake':
      for (const sleeper of stage.machines()) sleeper.isAsleep = false;
      return;
    case 'join':
      clients.command(stage.startMachine(), session, by, 'context.add', { content: someText() });
      return;
    case 'shut_down':
      stage.shutDown(machine);
      return;
    case 'close': {
      // A log that would keep a session that is deleted: it is closed here, and taken up again at the next command.
      machine.host.delete(session).catch((error: unknown) => clients.checkError(error, `closing ${session}`));
      if (random.chance(0.7)) command('context.add', { content: someText() });
      return;
    }
    case 'repeat_outcome': {
      const alive = stage.stale.filter((report) => !report.owner.isDead && !report.owner.isAsleep);
      if (alive.length > 0) random.pick(alive).repeat();
      return;
    }
    default:
      action satisfies never;
  }
}

function unsettle({ random, clients, book }: Stage, session: string, machine: Machine): void {
  const by = random.pick(humans);
  const { turn } = book(session);
  const open = turn?.calls.filter((call) => !call.isStarted && !call.isFinished) ?? [];
  for (let left = 1 + random.below(4); left > 0; left--) {
    const change = random.pick(['mode', 'add', 'add', 'remove'] as const);
    if (change === 'mode') clients.command(machine, session, by, 'session.configure', { mode: random.pick(modes) });
    else if (change === 'remove') clients.command(machine, session, by, 'rule.remove', ruleOf(book(session), random));
    else {
      // Nobody knows which calls an answer will hold that still streams, but reads are begun early.
      const rule = open.length === 0 ? random.pick(['look', 'ask', 'peek']) : random.pick(open).tool;
      clients.command(machine, session, by, 'rule.add', { list: random.pick(['deny', 'ask']), rule });
    }
  }
  const asked = open.filter((call) => call.hasOpenQuestion);
  if (asked.length === 0 || random.chance(0.5)) return;
  clients.command(machine, session, by, 'approval.resolve', { call: random.pick(asked).id, decision: 'allow' });
}

const isUncertain = ({ turn, state }: Book): boolean =>
  state.turn?.phase === 'model' || turn?.calls.some((call) => call.hasOpenQuestion || !call.isStarted) === true;

/** Mostly where the session is driven; else anywhere that is awake, which may take it over. */
function chooseMachine(stage: Stage, book: Book, awake: readonly Machine[]): Machine {
  const driver = awake.find((machine) => machine === book.driver);
  if (driver !== undefined && stage.random.chance(0.9)) return driver;
  return awake.length === 0 || (awake.length < 3 && stage.random.chance(0.1))
    ? stage.startMachine()
    : stage.random.pick(awake);
}
