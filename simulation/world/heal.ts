/** The end of a run: nothing fails any more, people answer what they are asked, and everything must come to rest. */
import { due, settle } from '@pawl/engine/core';
import type { Book } from '../checks/book.ts';
import type { Violate } from '../checks/invariants.ts';
import type { Stage } from './actions.ts';
import { answerTo } from './choices.ts';
import type { Sent } from './clients.ts';
import { humans } from './clients.ts';
import type { Disk } from './log.ts';
import { questioned, rightAnswers } from './questions.ts';

type Healing = Stage & {
  violate: Violate;
  /** Lets the world go on until it is still. Whether anything happened. */
  go(mayLeap: boolean): Promise<boolean>;
  isOver(): boolean;
};

/** Rounds of answering after which a session that still wants something never will rest. */
const maxRounds = 400;

export async function heal(healing: Healing): Promise<void> {
  const { random } = healing;
  // Some that slept wake up now that others have taken over; some never do.
  for (const sleeper of healing.machines()) if (sleeper.isAsleep) sleeper.isAsleep = random.chance(0.3);
  const staysPaused = random.chance(0.3);
  const probes: Probes = new Map();
  for (let round = 0; round < maxRounds; round++) {
    await healing.go(false);
    if (healing.isOver()) return;
    const isDoing = healing.sessions().map((session) => attend(healing, probes, session, staysPaused));
    reconnect(healing, probes);
    if (isDoing.includes(true)) continue;
    const hasMoved = await healing.go(true);
    if (healing.isOver()) return;
    if (hasMoved) continue;
    if (healing.sessions().every((session) => isAtRest(healing.book(session)) && isDriven(probes, session))) return;
    // What hangs for ever is what a cancel is for.
    for (const [session, { machine }] of probes) {
      const book = healing.book(session);
      if (isAtRest(book)) continue;
      if (book.compaction !== null) healing.clients.command(machine, session, human, 'compaction.cancel', {});
      if (book.turn === null || book.turn.cancelSeq !== null) continue;
      healing.clients.command(machine, session, human, 'turn.cancel', {});
    }
  }
}

const human = humans[0] ?? { kind: 'human' as const, id: 'ann' };

/** The last question to each session whether anybody drives it: a command that only its driver can accept. */
type Probes = Map<string, Sent>;

const isDriven = (probes: Probes, session: string): boolean => probes.get(session)?.answer === 'accepted';

/** Does for a session what people would do now. Whether there was anything to do. */
function attend(healing: Healing, probes: Probes, session: string, staysPaused: boolean): boolean {
  const { clients, random } = healing;
  const book = healing.book(session);
  const probe = probes.get(session);
  if (probe?.answer === null) return false;
  if (probe?.answer !== 'accepted') {
    const awake = healing.machines().filter((machine) => !machine.isAsleep);
    const isNew = awake.length === 0 || (awake.length < 4 && random.chance(0.3));
    const machine = isNew ? healing.startMachine() : random.pick(awake);
    const content = [{ type: 'text' as const, text: 'Still there?' }];
    probes.set(session, clients.command(machine, session, human, 'context.add', { content }));
    return true;
  }
  const { machine } = probe;
  const asked = book.turn?.calls.filter((call) => call.hasOpenQuestion) ?? [];
  for (const call of asked) clients.command(machine, session, human, 'approval.resolve', answerTo(call.id, random));
  const questions = questioned(book);
  for (const call of questions) {
    const answers = rightAnswers(call, random);
    clients.command(machine, session, human, 'question.answer', { call: call.id, answers });
  }
  if (asked.length > 0 || questions.length > 0) return true;
  if (book.state.turn?.phase === 'review') {
    clients.command(machine, session, human, 'review.resolve', { decision: 'approve' });
    return true;
  }
  if ((book.state.isPaused || book.state.isHeld) && !staysPaused) {
    clients.command(machine, session, human, 'session.resume', {});
    return true;
  }
  return false;
}

function reconnect({ subscribers }: Healing, probes: Probes): void {
  for (const subscriber of subscribers) {
    const probe = probes.get(subscriber.session);
    if (probe?.answer === 'accepted' && subscriber.machine !== probe.machine) subscriber.connect(probe.machine);
  }
}

function isAtRest({ state }: Book): boolean {
  if (state.compaction !== null) return false;
  const isWaiting = state.isPaused || state.turn?.phase === 'review';
  return state.turn === null ? true : isWaiting && state.turn.phase !== 'model' && state.turn.phase !== 'tools';
}

/** What should have come to rest and has not. */
export function findUnrest({
  book,
  sessions,
  disk,
  violate,
  clients,
  subscribers,
}: Stage & { disk: Disk; violate: Violate }): void {
  for (const session of sessions()) {
    const own = book(session);
    const { state } = own;
    if (!isAtRest(own)) violate('I15 rest', `${session}: turn ${state.turn?.number} is still in ${state.turn?.phase}.`);
    const owed = due(state).filter((effect) => effect.kind !== 'timer');
    if (owed.length > 0) violate('I15 rest', `${session}: still owed: ${owed.map((effect) => effect.id)}.`);
    if (settle(state).length > 0) violate('I15 rest', `${session}: ${settle(state)[0]?.type} is still to follow.`);
    for (const input of own.inputs.values()) {
      const isQueued = state.queue.some((queued) => queued.id === input.id);
      if (isQueued !== (input.state === 'queued'))
        violate('I9 input', `${session}: input ${input.id} is ${input.state}.`);
      if (isQueued && !state.isPaused && !state.isHeld)
        violate('I9 input', `${session}: input ${input.id} was never taken.`);
    }
  }
  for (const { session, input, machine, isOver } of clients.waiting) {
    const { inputs, turn, state, driver } = book(session);
    // Who lost the session learns of it at its next append, and an idle one makes none.
    if (isOver || machine.isDead || machine.isAsleep || machine !== driver) continue;
    if (inputs.get(input)?.state !== 'queued' && turn === null) {
      violate('I17 ending', `${session}: who follows input ${input} was never told of its end.`);
    }
    if (inputs.get(input) === undefined)
      violate('I17 ending', `${session}: sending ${input} never ended: ${state.seq}.`);
  }
  for (const { id, session, machine, answer } of clients.sent) {
    if (answer === null && !machine.isDead && !machine.isAsleep) {
      violate('I17 ending', `${session}: command ${id} was never answered by ${machine.name}.`);
    }
  }
  for (const { session, machine, lastSeq } of subscribers) {
    if (machine === null || machine.isDead || machine.isAsleep || lastSeq === null) continue;
    if (book(session).driver === machine && lastSeq !== disk.head(session)) {
      violate(
        'I13 subscriber',
        `${session}: it saw up to ${lastSeq} of ${disk.head(session)}, and nothing more comes.`,
      );
    }
  }
}
