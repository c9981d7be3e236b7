/** One simulated world, from a seed: sets it up, lets it go wrong for a while, heals it, and looks at what is left. */
import type { State } from '@pawl/engine/core';
import { evolve, initialState } from '@pawl/engine/core';
import type { Limits } from '@pawl/protocol';
import { isPawlError } from '@pawl/protocol';
import type { Book } from '../checks/book.ts';
import { createBook } from '../checks/book.ts';
import { checkEarlyStops, withdraw } from '../checks/early.ts';
import { difference } from '../checks/equality.ts';
import { checkRecord } from '../checks/events.ts';
import type { Invariant, Violation } from '../checks/invariants.ts';
import { createPostCheck } from '../checks/mail.ts';
import type { RepeatsWorld } from '../checks/repeats.ts';
import { checkRequest } from '../checks/request.ts';
import { checkGathering, checkSystem } from '../checks/surroundings.ts';
import type { Stage } from './actions.ts';
import { act, inclinations } from './actions.ts';
import { someSettings } from './choices.ts';
import { createClients, humans } from './clients.ts';
import { compactSomething, isCrowded } from './crowded.ts';
import { demandSomething, isDemanding } from './demands.ts';
import { checkRoom, dryLimits, isDry } from './drought.ts';
import { isErrand, runErrand } from './errands.ts';
import { findUnrest, heal } from './heal.ts';
import type { Disk } from './log.ts';
import { createDisk } from './log.ts';
import type { Machine, MachineWorld, Mutation } from './machine.ts';
import { createMachine } from './machine.ts';
import type { StaleReport } from './outcomes.ts';
import { answerSomething, isCurious, questioned } from './questions.ts';
import type { Random } from './random.ts';
import { createRandom } from './random.ts';
import { changeSomething, digestIn, isRepeating, pollingTool } from './repeats.ts';
import { createScheduler, settled } from './scheduler.ts';
import type { Subscriber } from './subscribers.ts';
import { createSubscriber } from './subscribers.ts';
import { isGathering, switchSomething } from './surroundings.ts';

export type RunResult = {
  seed: number;
  violation: Violation | null;
  /** Every log, byte for byte. */
  bytes: string;
  /** What happened, in order; empty unless asked for. */
  trace: readonly string[];
  /** Things that happened: how long the run was. */
  steps: number;
};

/** A run that goes on for longer than this is one that never ends. */
const maxSteps = 60_000;

export async function simulate(
  seed: number,
  options: { trace?: boolean; mutation?: Mutation } = {},
): Promise<RunResult> {
  const trace: string[] = [];
  const random = createRandom(seed);
  const scheduler = createScheduler(random, options.trace === true ? (line) => trace.push(line) : null);
  const mutation = options.mutation ?? {};
  const fold = mutation.core?.evolve ?? evolve;
  const books = new Map<string, Book>();
  const machines: Machine[] = [];
  const subscribers: Subscriber[] = [];
  const stale: StaleReport[] = [];
  let violation: Violation | null = null;
  let isHealing = false;
  let steps = 0;

  const violate = (invariant: Invariant, message: string): void => {
    if (violation !== null) return;
    violation = { invariant, message };
    scheduler.note(`VIOLATION of ${invariant}: ${message}`);
  };
  const onUnhandled = (reason: unknown): void => {
    violate(
      'I17 ending',
      `A promise was rejected and nobody looked: ${reason instanceof Error ? reason.stack : reason}`,
    );
  };
  process.on('unhandledRejection', onUnhandled);

  const book = (session: string): Book => {
    const known = books.get(session) ?? createBook(session, initialState());
    books.set(session, known);
    return known;
  };
  const versions = new Map<string, number>();
  const repeats: RepeatsWorld = {
    hasTrueDigests: isRepeating(seed),
    digestOf: (path) => (isRepeating(seed) ? digestIn(versions, path) : `digest of ${path}`),
    isPolling: (tool) => isRepeating(seed) && tool === pollingTool,
  };
  const post = createPostCheck(violate);
  const machineOf = (owner: { name: string }) => machines.find((machine) => machine.name === owner.name);

  const disk: Disk = createDisk({
    scheduler,
    random,
    isFaulty: () => !isHealing,
    ignoresExpectedSeq: mutation.log?.ignoresExpectedSeq ?? false,
    onLanded(session, events, owner) {
      const own = book(session);
      checkRecord(own, events, machineOf(owner) ?? owner, violate, fold, repeats);
      for (const event of events) checkGathering(own, event, violate);
      post.record(own, events);
    },
    onAcknowledged(session, seq, owner) {
      const own = book(session);
      const machine = machineOf(owner) ?? owner;
      own.acknowledged.set(machine, seq);
      const live = machineOf(owner)?.states.get(session);
      if (live === undefined || live.seq !== seq || own.state.seq !== seq) return;
      const found = difference(live, own.state);
      if (found !== null) violate('I11 replay', `${session} at ${seq}: live and replayed, ${found}.`);
    },
  });

  const world: MachineWorld = {
    scheduler,
    random,
    violate,
    book,
    mutation,
    isFaulty: () => !isHealing,
    isCalm: () => isHealing,
    versions,
    isRepeating: isRepeating(seed),
    isCurious: isCurious(seed),
    isGathering: isGathering(seed),
    isCrowded: isCrowded(seed) || isDry(seed),
    isErrand: isErrand(seed),
    isDemanding: isDemanding(seed),
    isDry: isDry(seed),
    live: (session, owner) => machineOf(owner)?.states.get(session),
    onWithdrawn: (session, owner) => withdraw(book(session), owner),
    onStale: (report) => stale.push(report),
    onRequest(request, owner) {
      const own = book(request.session);
      if (own.driver !== machineOf(owner) || request.purpose === 'compaction') return;
      checkRequest(own, request, disk.blob, violate);
      checkSystem(own, request, violate);
      const { contextTokens = 0 } = machineOf(owner)?.states.get(request.session)?.settings.modelInfo ?? {};
      if (isDry(seed)) checkRoom(request, contextTokens, violate);
    },
    onDue(owed, state, owner) {
      const own = book(state.session);
      const ids = new Set(owed.map((effect) => effect.id));
      if (ids.size !== owed.length)
        violate('I12 due', `${state.session}: debts share an id: ${owed.map(({ id }) => id)}`);
      // While a record is being made the state is ahead of the log, and what is owed in it is not begun.
      if (own.driver !== machineOf(owner) || state.seq > (own.events.at(-1)?.seq ?? 0)) return;
      for (const effect of owed) {
        if (effect.kind !== 'tool' || effect.mode !== 'run') continue;
        const startedBy = own.calls.get(effect.call)?.startedBy;
        if (startedBy !== own.tenure) {
          violate(
            'I12 due',
            `${state.session}: a run is owed to ${effect.call}, which a driver before this one began.`,
          );
        }
      }
    },
  };
  const clients = createClients(world);

  const stage: Stage = {
    random,
    clients,
    subscribers,
    stale,
    book,
    machines: () => machines.filter((machine) => !machine.isDead),
    sessions: () => disk.sessions(),
    keep: disk.keep,
    startMachine() {
      const machine = createMachine(`m${machines.length + 1}`, disk.view, world);
      machines.push(machine);
      scheduler.note(`${machine.name} starts`);
      return machine;
    },
    crash(machine) {
      scheduler.note(`${machine.name} crashes`);
      machine.isDead = true;
      scheduler.drop(machine);
      disk.lose(machine);
      disk.release(machine);
      for (const subscriber of subscribers) if (subscriber.machine === machine) subscriber.disconnect();
    },
    shutDown(machine) {
      scheduler.note(`${machine.name} shuts down`);
      machine.host.close().then(
        () => stage.crash(machine),
        (error: unknown) => clients.checkError(error, 'shutting down'),
      );
    },
    fork(machine, session) {
      const messages = book(session).history;
      const beforeMessage = messages.length > 0 && random.chance(0.5) ? random.pick(messages).id : undefined;
      const id = `s${books.size + 1}`;
      const target = { id, ...(beforeMessage !== undefined && { beforeMessage }) };
      scheduler.note(`fork ${session} to ${id} before ${beforeMessage ?? 'nothing'}`);
      machine.host.fork(session, target).catch((error: unknown) => clients.checkError(error, `forking ${session}`));
    },
    subscribe(session) {
      const subscriber = createSubscriber(session, { ...world, checkError: clients.checkError });
      subscribers.push(subscriber);
      return subscriber;
    },
  };

  /** Lets everything settle that needs no turn of its own; by then whoever had to stop has been told. */
  const settle = async (): Promise<void> => {
    await settled();
    for (const own of books.values()) if (own.early.size > 0) checkEarlyStops(own, violate);
  };

  /** Lets the world go on until it is still or something is wrong. Whether anything happened. */
  const go = async (mayLeap: boolean): Promise<boolean> => {
    for (let hasMoved = false; ; hasMoved = true) {
      await settle();
      if (violation !== null || !scheduler.step(mayLeap)) return hasMoved;
      steps += 1;
      if (steps > maxSteps) violate('I15 rest', `It goes on and on, after ${steps} steps.`);
    }
  };

  try {
    const kind = { isLong: isDry(seed) || isRepeating(seed), isDry: isDry(seed) };
    await begin(stage, random, kind, () => settled().then(() => scheduler.step(true)));
    let actions = disk.sessions().length === 0 ? 0 : 5 + random.below(30);
    const inclined = inclinations(random);
    const eagerness = random.pick([0.05, 0.15, 0.4]);
    while (violation === null) {
      await settle();
      if (violation !== null) break;
      // Who waits for an answer would else wait until its time is up: nothing else moves.
      const isAsking = isCurious(seed) && disk.sessions().some((session) => questioned(book(session)).length > 0);
      const isTime = actions > 0 && random.chance(isAsking ? 0.5 : eagerness);
      if (isTime || !scheduler.step(true)) {
        if (actions === 0) break;
        actions -= 1;
        const hasAnswered = isCurious(seed) && random.chance(0.7) && answerSomething(stage);
        const hasSwitched = !hasAnswered && isGathering(seed) && random.chance(0.2);
        const hasCompacted = !hasAnswered && !hasSwitched && isCrowded(seed) && compactSomething(stage);
        const hasRun = !hasAnswered && isErrand(seed) && random.chance(0.5) && runErrand(stage);
        const hasDemanded = !hasAnswered && isDemanding(seed) && random.chance(0.6) && demandSomething(stage);
        const hasChanged = isRepeating(seed) && random.chance(0.4) && changeSomething(stage, versions);
        if (hasSwitched) switchSomething(stage);
        else if (!hasAnswered && !hasCompacted && !hasRun && !hasDemanded && !hasChanged) act(stage, inclined);
      }
      steps += 1;
      if (steps > maxSteps) violate('I15 rest', `It goes on and on, after ${steps} steps.`);
    }
    isHealing = true;
    if (violation === null) await heal({ ...stage, violate, go, isOver: () => violation !== null });
    if (violation === null) findUnrest({ ...stage, disk, violate });
    if (violation === null) post.rest(books.values());
    if (violation === null) checkFolds(books.values(), fold, violate);
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
  return { seed, violation, bytes: bytesOf(disk), trace, steps };
}

/** One machine, and on it the first session. Not even that is certain. */
async function begin(
  stage: Stage,
  random: Random,
  { isLong, isDry: hasLittleRoom }: { isLong: boolean; isDry: boolean },
  step: () => Promise<boolean>,
): Promise<void> {
  const machine = stage.startMachine();
  const limits = random.chance(0.3)
    ? ((someSettings(random).limits ?? {}) as Partial<Limits>)
    : { steps: 1 + random.below(10) };
  if (isLong) limits.steps = 12 + random.below(30);
  let isBegun = false;
  machine.host
    .client(humans[0] ?? { kind: 'human', id: 'ann' })
    .create({
      id: 's1',
      cwd: '/w',
      isAttended: random.chance(0.8),
      mode: isLong ? 'auto' : random.pick(['manual', 'manual', 'accept-edits', 'auto', 'plan']),
      rules: {
        allow: random.chance(0.4) ? ['write', 'set', 'peek'] : [],
        ask: random.chance(0.1) ? ['look(/w/a)'] : [],
        deny: random.chance(0.1) ? ['send', 'look(/w/b)'] : [],
      },
      limits: hasLittleRoom ? { ...limits, ...dryLimits } : limits,
    })
    .catch((error: unknown) => {
      if (!isPawlError(error, 'log_unavailable')) stage.clients.checkError(error, 'creating a session');
    })
    .finally(() => {
      isBegun = true;
    });
  while (!isBegun && (await step()));
}

/** The same log gives the same state, byte for byte. */
function checkFolds(
  books: Iterable<Book>,
  fold: (state: State, event: Book['events'][number]) => State,
  violate: (invariant: Invariant, message: string) => void,
): void {
  for (const { session, events, state } of books) {
    const text = JSON.stringify(events);
    const replay = () => (JSON.parse(text) as Book['events']).reduce(fold, initialState());
    const again = replay();
    const found = difference(state, again);
    if (found !== null) violate('I11 replay', `${session}: folded twice, ${found}.`);
    else if (textOf(again) !== textOf(replay())) violate('I11 replay', `${session}: folded twice, other bytes.`);
  }
}

/** A state as text, in the order of its own properties. (V8's serialisation writes one number in two ways.) */
function textOf(state: State): string {
  return JSON.stringify(state, (_, value: unknown) => (value instanceof Map ? [...value] : value));
}

function bytesOf(disk: Disk): string {
  return disk
    .sessions()
    .map((session) => `${session}\n${disk.bytes(session)}`)
    .join('\n\n');
}
