/** What surrounds the work: the pieces of the prompt, the place, AGENTS.md, and what is remembered. */
import { join } from 'node:path';
import type { Memory, Piece, Surroundings, SurroundingsQuery } from '@pawl/engine';
import { composePrompt } from '@pawl/engine';
import type { Fragment } from '@pawl/protocol';
import { messageOf } from '@pawl/protocol';
import { describeEnvironment } from './environment.ts';
import { readInstructions } from './instructions.ts';
import { type PromptFile, pieceOf, readPromptFolder } from './prompt-files.ts';
import { rememberedFor } from './remembered.ts';

export { instructionsText } from './instructions.ts';
export { type PromptFile, readPromptFolder } from './prompt-files.ts';

export type SurroundingsOptions = {
  /** The folder of the user's `AGENTS.md` and `prompts/`; null for none. */
  userFolder?: string | null;
  /** A project's own pieces of the prompt, if the user has trusted them. Asked before each turn. */
  projectPrompts?: (cwd: string, notice: (message: string) => void) => Promise<readonly PromptFile[]>;
  memory?: Memory;
  environment?: Readonly<Record<string, string | undefined>>;
  /** As Node names it. */
  platform?: string;
  /** How long git may take to count what has changed, ms; a turn waits for it, but never the first. Default 500. */
  gitWithinMs?: number;
};

/**
 * Pieces of the prompt are read anew before each turn. The rest is a snapshot, taken when a session begins, when it gets
 * another agent and when its history was compacted. What cannot be read is left out, and a person is told.
 */
export function surroundings(options: SurroundingsOptions = {}): Surroundings {
  const {
    userFolder = null,
    memory,
    environment = process.env,
    platform = process.platform,
    gitWithinMs = 500,
  } = options;

  const system = async (query: SurroundingsQuery): Promise<Fragment[]> => {
    const { cwd, notice } = query;
    const user = userFolder === null ? [] : await readPromptFolder(join(userFolder, 'prompts'), notice);
    const project = (await options.projectPrompts?.(cwd, notice)) ?? [];
    return composePrompt({ ...query, platform }, [piecesOf(user, notice), piecesOf(project, notice)]);
  };

  const place = async (query: SurroundingsQuery, signal: AbortSignal): Promise<Fragment[]> => {
    const { cwd, now, task, notice, fragments } = query;
    // Files tell the branch. A session does not begin by waiting for the processes that count.
    const withinMs = fragments.length === 0 ? null : gitWithinMs;
    const orNothing = async (what: string, work: () => Promise<(Fragment | null)[]>): Promise<Fragment[]> => {
      try {
        return (await work()).filter((fragment) => fragment !== null);
      } catch (error) {
        signal.throwIfAborted();
        notice(`${what} left out: ${messageOf(error)}`);
        return [];
      }
    };
    const parts = await Promise.all([
      orNothing('The place is', async () => [
        await describeEnvironment({ cwd, now, platform, environment, gitWithinMs: withinMs }, signal),
      ]),
      orNothing('AGENTS.md is', () => readInstructions(cwd, userFolder, notice)),
      orNothing('What is remembered is', async () =>
        memory === undefined ? [] : [await rememberedFor(memory, task, cwd)],
      ),
    ]);
    return parts.flat();
  };

  return {
    async gather(query, signal) {
      const [pieces, rest] = await Promise.all([
        system(query),
        query.isFull ? place(query, signal) : query.fragments.filter(({ region }) => region !== 'system'),
      ]);
      signal.throwIfAborted();
      const fragments = [...pieces, ...rest];
      return JSON.stringify(fragments) === JSON.stringify(query.fragments) ? null : fragments;
    },
  };
}

function piecesOf(files: readonly PromptFile[], notice: (message: string) => void): Piece[] {
  return files.flatMap((file) => {
    try {
      return [pieceOf(file)];
    } catch (error) {
      notice(`${file.path} is left out: ${messageOf(error)}.`);
      return [];
    }
  });
}
