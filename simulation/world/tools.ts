/** Simulated tools of every effect. What a call does (and how it goes wrong) stands in its arguments. */
import type { Tool, ToolContext, ToolOutcome, ToolScope } from '@pawl/engine';
import type { FilePart, JsonObject } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { Book } from '../checks/book.ts';
import type { BodyWorld } from '../checks/deeds.ts';
import { beginBody, checkDeed, endBody, isDone, noteNotDone } from '../checks/deeds.ts';
import { demandedOutcome } from './demands.ts';
import { dryOutcome } from './drought.ts';
import { errandOutcome } from './errands.ts';
import { fileOf } from './files.ts';
import type { Input } from './kinds.ts';
import { fates, kindOf, toolNames } from './kinds.ts';
import { questionsOf } from './questions.ts';
import type { Random } from './random.ts';
import { digestIn, pollingTool } from './repeats.ts';
import type { Owner, Scheduler } from './scheduler.ts';

export type ToolWorld = BodyWorld & {
  scheduler: Scheduler;
  random: Random;
  /** How often each path was changed, by whatever session. */
  versions: Map<string, number>;
  /** Whether calls ask people questions. */
  isCurious: boolean;
  /** Whether turns have targets, and sessions write to each other. */
  isErrand: boolean;
  /** Whether turns are asked for results. */
  isDemanding: boolean;
  /** Whether the compaction's model fails all the time. */
  isDry: boolean;
  /** Whether results tell what was read, and one tool is there to be asked again. */
  isRepeating: boolean;
};

/** A Standard Schema, checked without loading a validator. */
const schema = {
  '~standard': {
    version: 1 as const,
    vendor: 'simulation',
    validate: (value: unknown) => {
      const { path, fate } = value as Partial<Input>;
      const isValid = typeof path === 'string' && typeof fate === 'string' && fate in fates;
      return isValid ? { value } : { issues: [{ message: 'Give a path and a fate.' }] };
    },
  },
};
const inputSchema: JsonObject = { type: 'object', properties: { path: { type: 'string' }, fate: { type: 'string' } } };

/** The tools of one machine. */
export function createTools(world: ToolWorld, owner: Owner): Tool[] {
  const { scheduler, random } = world;
  const never = () => new Promise<never>(() => undefined);
  const versionOf = (path: string): number => world.versions.get(path) ?? 0;

  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });

  const run = async (name: string, input: Input, context: ToolContext): Promise<ToolOutcome> => {
    const { session, call: id, signal, basis } = context;
    const book = world.book(session);
    const body = beginBody(book, { id, tool: name, input, basis, owner, signal }, world);
    if (body === null) return { content: 'Nothing.' };
    if (world.isCurious && questionsOf(name, input.path).length > 0 && context.replies === undefined) {
      const invariant = body.isEarly ? 'I18 early' : 'I7 refusal';
      world.violate(invariant, `${session}: ${id} runs without the answer to what it asks.`);
    }
    const label = `${name} ${id} ${input.fate}${body.isEarly ? ' (early)' : ''}`;
    scheduler.note(`${owner.name}: ${label} begins`);
    // A tool that listens stops at its next breath; a deaf one goes on and does the deed after all.
    const breath = () => scheduler.wait(owner, label, input.fate === 'deaf' ? undefined : signal);
    try {
      if (!random.chance(0.3)) await breath();
      if (input.fate === 'outdated' && !book.events.some((event) => isOutdated(event, id))) {
        throw new PawlError('outdated', 'The file is not what it was when this was judged.');
      }
      if (input.fate === 'throws' && random.chance(0.5)) throw new Error(`${name} broke before it did anything.`);
      checkDeed(book, body, world);
      if (kindOf(name)?.effect !== 'read') world.versions.set(input.path, versionOf(input.path) + 1);
      const digest = world.isRepeating ? digestIn(world.versions, input.path) : `digest of ${input.path}`;
      scheduler.note(`${owner.name}: ${label} does its deed`);
      if (input.fate === 'slow') for (let pause = 0; pause < 3; pause++) await breath();
      if (random.chance(0.5)) await breath();
      context.progress({ done: 1, total: 1 });
      if (input.fate === 'hangs') await untilAborted(signal);
      if (input.fate === 'deaf' && random.chance(0.5)) await never();
      if (input.fate === 'throws') throw new Error(`${name} broke.`);
      const files = input.fate === 'pictures' ? await pictures(context) : [];
      const plain = outcome(name, input, digest);
      const made = {
        ...plain,
        ...(world.isErrand && errandOutcome(name, input)),
        ...(world.isDemanding && demandedOutcome(name, input)),
        ...(world.isDry && dryOutcome(plain)),
      };
      // By its number the checker tells which run it is that an outcome came from.
      return { ...made, details: { ...made.details, run: body.run }, ...(files.length > 0 && { files }) };
    } finally {
      endBody(book, body);
    }
  };

  /** An image that is kept, and now and then one that is lost. */
  const pictures = async ({ blobs }: ToolScope): Promise<FilePart[]> => {
    const bytes = new TextEncoder().encode(`picture ${random.below(20)}`);
    const digest = random.chance(0.9) ? await blobs.put(bytes) : `sha256-${'0'.repeat(64)}`;
    return [fileOf(digest, bytes)];
  };

  const reconcile = async (_: Input, __: unknown, { session, call, signal }: ToolScope) => {
    await scheduler.wait(owner, `reconcile ${call}`, signal);
    if (random.chance(0.03)) await never();
    const book = world.book(session);
    if (random.chance(0.15)) return null;
    if (random.chance(0.1)) throw new Error('It could not be found out.');
    if (isDone(book, call)) return { content: 'It had been done.' };
    noteNotDone(book, call);
    return 'not_done' as const;
  };

  return toolNames.flatMap((name) => {
    const kind = kindOf(name);
    if (kind === undefined) return [];
    const { effect, hasPath, canReconcile, asks } = kind;
    const tool: Tool<Input> = {
      name,
      description: `A simulated tool of effect ${effect}.`,
      input: schema,
      inputSchema,
      effect: random.chance(0.5) ? effect : () => effect,
      subjectKind: hasPath ? 'path' : 'text',
      ...(world.isRepeating && name === pollingTool && { isPolling: true }),
      ...(asks && { approval: ({ fate }: Input) => fate !== 'quiet' }),
      async paths({ path, fate }: Input, { signal }: ToolScope) {
        if (random.chance(0.3)) await scheduler.wait(owner, `paths of ${name}`, signal);
        if (fate === 'paths_throw') throw new Error('Too many symlinks.');
        return hasPath ? [path] : [];
      },
      async plan({ path, fate }: Input, { signal }: ToolScope) {
        if (random.chance(0.3)) await scheduler.wait(owner, `plan of ${name}`, signal);
        if (fate === 'plan_throws') throw new Error('There is no such file.');
        if (fate === 'plan_hangs') await never();
        const questions = world.isCurious ? questionsOf(name, path) : [];
        return { ...(canReconcile && { evidence: { path } }), basis: `${path} ${versionOf(path)}`, questions };
      },
      run: (input: Input, context: ToolContext) => run(name, input, context),
      ...(canReconcile && { reconcile }),
    };
    // The engine validates arguments before it calls a tool with them.
    return [tool as Tool];
  });
}

function isOutdated(event: Book['events'][number], call: string): boolean {
  return event.type === 'tool.outdated' && event.data.call === call;
}

function outcome(name: string, { path, fate }: Input, digest: string): ToolOutcome {
  const content = `${name} ${path}: done.`;
  switch (fate) {
    case 'error':
      return { content: `${name} ${path}: failed.`, isError: true };
    case 'big':
      return { content: `${content}\n`.repeat(5000) };
    case 'ends_turn':
      return { content, endsTurn: 'The tool ended the turn.' };
    case 'stages':
      return { content, stage: 'executing' };
    default:
      return { content, details: { files: { [path]: digest } } };
  }
}
