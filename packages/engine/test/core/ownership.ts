/** Each aspect of the core changes its own slice of the state and no other: what its `state.ts` begins with says which. */
import type { DurableEvent } from '@pawl/protocol';
import { noAnswerYet } from '../../src/core/answer/state.ts';
import { initialAssignment } from '../../src/core/assignment/state.ts';
import { noCalls } from '../../src/core/calls/state.ts';
import { initialCompaction } from '../../src/core/compaction/state.ts';
import { aspects, evolve } from '../../src/core/evolve.ts';
import { initialFiles } from '../../src/core/files/state.ts';
import { initialFlows } from '../../src/core/flows/state.ts';
import { initialHistory } from '../../src/core/history/state.ts';
import { initialInputs } from '../../src/core/inputs/state.ts';
import { initialLog } from '../../src/core/log/state.ts';
import { initialMail } from '../../src/core/mail/state.ts';
import { completeOldEvent } from '../../src/core/old-logs.ts';
import { initialPins } from '../../src/core/pins/state.ts';
import { noResultYet } from '../../src/core/result/state.ts';
import { initialSession } from '../../src/core/session/state.ts';
import { nothingSpent } from '../../src/core/spending/state.ts';
import type { State } from '../../src/core/state.ts';
import { initialSurroundings } from '../../src/core/surroundings/state.ts';
import { initialTasks } from '../../src/core/tasks/state.ts';
import { initialTurn } from '../../src/core/turn/state.ts';
import { initialWork } from '../../src/core/work/state.ts';

type Aspect = keyof typeof aspects;

/** The keys of the state that each aspect owns. */
const slices: Partial<Record<Aspect, object>> = {
  log: initialLog(),
  session: initialSession(),
  inputs: initialInputs(),
  turn: initialTurn(),
  history: initialHistory(),
  compaction: initialCompaction(),
  pins: initialPins(),
  files: initialFiles(),
  work: initialWork(),
  surroundings: initialSurroundings(),
  spending: nothingSpent(),
  tasks: initialTasks(),
  assignment: initialAssignment(),
  flows: initialFlows(),
  mail: initialMail(),
};

/** Their parts of the turn that runs; the rest of it is the turn's own. */
const partsOfTurn: Partial<Record<Aspect, object>> = {
  answer: noAnswerYet(),
  calls: noCalls(),
  target: { loop: null },
  result: noResultYet(),
  spending: nothingSpent(),
};

const ownerOf = (parts: Partial<Record<Aspect, object>>, key: string): Aspect | undefined =>
  (Object.keys(parts) as Aspect[]).find((aspect) => Object.hasOwn(parts[aspect] ?? {}, key));

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, entry) => (entry instanceof Map ? [...entry] : entry)) ?? 'undefined';

/** What each part of the state holds, with the aspect that may change it. */
function contents(state: State): Map<string, { owner: Aspect | undefined; content: string }> {
  const found = new Map<string, { owner: Aspect | undefined; content: string }>();
  for (const [key, value] of Object.entries(state)) {
    if (key !== 'turn') found.set(key, { owner: ownerOf(slices, key), content: shown(value) });
  }
  for (const [key, value] of Object.entries(state.turn ?? {})) {
    found.set(`turn.${key}`, { owner: ownerOf(partsOfTurn, key) ?? 'turn', content: shown(value) });
  }
  return found;
}

/** Looking at all of a state is slow: large ones are not watched, and of a file's tests only so many events. */
const maxMessages = 20;
const maxCalls = 10;
let left = 1000;

/** Does what `evolve` does, and throws where an aspect changes what is not its own. The turn itself comes and goes whole. */
export function evolveWatched(state: State, event: DurableEvent): State {
  const isLarge = state.messages.length > maxMessages || (state.turn?.calls.length ?? 0) > maxCalls;
  if (isLarge || left === 0) return evolve(state, event);
  left -= 1;
  const complete = completeOldEvent(state, event);
  let before = contents(state);
  for (const [name, record] of Object.entries(aspects)) {
    const had = state.turn !== null;
    record(state, complete);
    const after = contents(state);
    const isTurnOther = name === 'turn' && had !== (state.turn !== null);
    for (const [key, { owner, content }] of after) {
      if (isTurnOther || owner === name || before.get(key)?.content === content) continue;
      throw new Error(`${event.type}: ${name} changed ${key}, which belongs to ${owner ?? 'nobody'}.`);
    }
    before = after;
  }
  return state;
}
