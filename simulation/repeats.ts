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
export function createRepetition(random: Random): (session: string, content: ModelPart[]) => ModelPart[] {
  const before = new Map<string, ModelPart[]>();
  const stubbornness = random.pick([0.3, 0.7, 0.97]);
  return (session, content) => {
    const last = before.get(session);
    if (last !== undefined && random.chance(stubbornness)) return last;
    if (content.some(({ type }) => type === 'tool_call')) before.set(session, content);
    return content;
  };
}

/** The owner of the files changes one, or somebody asks for more of the same. False mostly. */
export function changeSomething({ random, clients, sessions, book, machines }: Stage, versions: Map<string, number>) {
  const path = random.pick(paths);
  versions.set(path, (versions.get(path) ?? 0) + 1);
  if (random.chance(0.5)) return true;
  const session = random.pick(sessions());
  const awake = machines().filter((machine) => !machine.isAsleep);
  const machine = awake.find((one) => one === book(session).driver) ?? awake[0];
  if (machine === undefined || book(session).turn !== null) return true;
  clients.command(machine, session, random.pick(humans), 'input.send', { content: [{ type: 'text', text: 'Again.' }] });
  return true;
}
