/**
 * Models that say the same again and again, and owners who change their files meanwhile. Only in some worlds, by their
 * seed: the others stay as they are, so that a seed that once showed a fault goes on to do so.
 */
import { createHash } from 'node:crypto';
import type { ModelPart } from '@pawl/engine';
import type { Stage } from './actions.ts';
import { humans } from './clients.ts';
import { paths } from './kinds.ts';
import type { Random } from './random.ts';

/** Whether models repeat themselves in the world of this seed. */
export const isRepeating = (seed: number): boolean => seed % 10 === 2;

/** A tool that is there to be asked again, in these worlds. */
export const pollingTool = 'peek';

type Versions = ReadonlyMap<string, number>;

export const bytesIn = (versions: Versions, path: string): Uint8Array =>
  new TextEncoder().encode(`${path} ${versions.get(path) ?? 0}`);

export const digestIn = (versions: Versions, path: string): string =>
  `sha256-${createHash('sha256').update(bytesIn(versions, path)).digest('hex')}`;

/** What the model of one machine says, given what it would say and what it said before in the session. */
export function createRepetition(
  random: Random,
  versions: Map<string, number>,
): (session: string, content: ModelPart[]) => ModelPart[] {
  const before = new Map<string, ModelPart[]>();
  const stubbornness = random.pick([0.3, 0.7, 0.97]);
  const isSingleMinded = random.chance(0.6);
  const restlessness = random.pick([0, 0.1, 0.3]);
  return (session, given) => {
    const last = before.get(session);
    const content = isSingleMinded ? [someCall(random)] : given;
    if (random.chance(restlessness)) changeFile(random, versions);
    if (last !== undefined && random.chance(stubbornness)) return last;
    if (content.some(({ type }) => type === 'tool_call')) before.set(session, content);
    return content;
  };
}

const someCall = (random: Random): ModelPart => ({
  type: 'tool_call',
  tool: random.pick(['look', 'look', 'look', 'write', 'send', 'ask', pollingTool]),
  input: { path: random.pick(paths), fate: random.pick(['plain', 'quiet']) },
});

/** The owner of the files changes one. */
function changeFile(random: Random, versions: Map<string, number>): void {
  const path = random.pick(paths);
  versions.set(path, (versions.get(path) ?? 0) + 1);
}

/** The owner of the files changes one, or somebody asks for more of the same. */
export function changeSomething({ random, clients, sessions, book, machines }: Stage, versions: Map<string, number>) {
  changeFile(random, versions);
  if (random.chance(0.5)) return true;
  const session = random.pick(sessions());
  const awake = machines().filter((machine) => !machine.isAsleep);
  const machine = awake.find((one) => one === book(session).driver) ?? awake[0];
  if (machine === undefined || book(session).turn !== null) return true;
  clients.command(machine, session, random.pick(humans), 'input.send', { content: [{ type: 'text', text: 'Again.' }] });
  return true;
}
