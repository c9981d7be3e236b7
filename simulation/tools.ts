/** Simulated tools of every effect. What a call does (and how it goes wrong) stands in its arguments. */
import type { Tool, ToolContext, ToolOutcome, ToolScope } from '@pawl/engine';
import type { JsonObject, ToolEffect } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { Book } from './book.ts';
import { checkBegin, checkDeed, endBody, isDone, noteNotDone } from './check-deeds.ts';
import type { Violate } from './invariants.ts';
import type { Random } from './random.ts';
import type { Owner, Scheduler } from './scheduler.ts';

/** How a call goes. `deaf` ignores that it was told to stop; `outdated` finds another world than was judged, once. */
export const fates = {
  plain: 30,
  slow: 8,
  big: 1,
  error: 4,
  throws: 4,
  outdated: 8,
  hangs: 2,
  deaf: 2,
  plan_throws: 2,
  plan_hangs: 1,
  paths_throw: 1,
  ends_turn: 1,
  stages: 1,
  quiet: 8,
} as const;
type Fate = keyof typeof fates;

export const paths = ['/w/a', '/w/b', '/w/c'] as const;

type Input = JsonObject & { path: string; fate: Fate };

const kinds: Readonly<Record<string, { effect: ToolEffect; hasPath: boolean; canReconcile: boolean }>> = {
  look: { effect: 'read', hasPath: true, canReconcile: false },
  ask: { effect: 'read', hasPath: false, canReconcile: false },
  set: { effect: 'idempotent', hasPath: true, canReconcile: false },
  write: { effect: 'write', hasPath: true, canReconcile: true },
  scribble: { effect: 'write', hasPath: true, canReconcile: false },
  change: { effect: 'write', hasPath: false, canReconcile: true },
  send: { effect: 'external', hasPath: false, canReconcile: false },
  post: { effect: 'external', hasPath: false, canReconcile: true },
};
export const toolNames = Object.keys(kinds);

export type ToolWorld = {
  scheduler: Scheduler;
  random: Random;
  violate: Violate;
  book(session: string): Book;
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
  const { scheduler, random, violate } = world;
  const never = () => new Promise<never>(() => undefined);

  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });

  const run = async (name: string, input: Input, context: ToolContext): Promise<ToolOutcome> => {
    const { session, call: id, signal } = context;
    const book = world.book(session);
    const call = checkBegin(book, id, owner, violate);
    if (call === null) return { content: 'Nothing.' };
    const label = `${name} ${id} ${input.fate}`;
    scheduler.note(`${owner.name}: ${label} begins`);
    // A tool that listens stops at its next breath; a deaf one goes on and does the deed after all.
    const breath = () => scheduler.wait(owner, label, input.fate === 'deaf' ? undefined : signal);
    try {
      if (!random.chance(0.3)) await breath();
      if (input.fate === 'outdated' && !book.events.some((event) => isOutdated(event, id))) {
        throw new PawlError('outdated', 'The file is not what it was when this was judged.');
      }
      if (input.fate === 'throws' && random.chance(0.5)) throw new Error(`${name} broke before it did anything.`);
      checkDeed(book, call, owner, violate);
      scheduler.note(`${owner.name}: ${label} does its deed`);
      if (input.fate === 'slow') for (let pause = 0; pause < 3; pause++) await breath();
      if (random.chance(0.5)) await breath();
      context.progress({ done: 1, total: 1 });
      if (input.fate === 'hangs') await untilAborted(signal);
      if (input.fate === 'deaf' && random.chance(0.5)) await never();
      if (input.fate === 'throws') throw new Error(`${name} broke.`);
      return outcome(name, input);
    } finally {
      endBody(book, call);
    }
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

  return Object.entries(kinds).map(([name, { effect, hasPath, canReconcile }]) => {
    const tool: Tool<Input> = {
      name,
      description: `A simulated tool of effect ${effect}.`,
      input: schema,
      inputSchema,
      effect: random.chance(0.5) ? effect : () => effect,
      subjectKind: hasPath ? 'path' : 'text',
      ...(effect !== 'read' && { approval: ({ fate }: Input) => fate !== 'quiet' }),
      async paths({ path, fate }: Input, { signal }: ToolScope) {
        if (random.chance(0.3)) await scheduler.wait(owner, `paths of ${name}`, signal);
        if (fate === 'paths_throw') throw new Error('Too many symlinks.');
        return hasPath ? [path] : [];
      },
      async plan({ path, fate }: Input, { signal }: ToolScope) {
        if (random.chance(0.3)) await scheduler.wait(owner, `plan of ${name}`, signal);
        if (fate === 'plan_throws') throw new Error('There is no such file.');
        if (fate === 'plan_hangs') await never();
        return { ...(canReconcile && { evidence: { path } }), basis: path };
      },
      run: (input: Input, context: ToolContext) => run(name, input, context),
      ...(canReconcile && { reconcile }),
    };
    // The engine validates arguments before it calls a tool with them.
    return tool as Tool;
  });
}

function isOutdated(event: Book['events'][number], call: string): boolean {
  return event.type === 'tool.outdated' && event.data.call === call;
}

function outcome(name: string, { path, fate }: Input): ToolOutcome {
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
      return { content, details: { files: { [path]: `digest of ${path}` } } };
  }
}
