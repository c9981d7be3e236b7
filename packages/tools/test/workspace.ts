import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool, ToolContext, ToolOutcome, ToolPlan } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';
import { afterEach } from 'vitest';
import { digestOf } from '../src/files/regular-file.ts';
import { builtinTools, type ToolOptions } from '../src/index.ts';

/** A folder of its own and the built-in tools in it, called as the engine calls them: paths, plan, then run. */
export type Workspace = {
  folder: string;
  tool(name: string): Tool;
  plan(name: string, input: JsonObject): Promise<{ paths: readonly string[]; plan: ToolPlan }>;
  call(name: string, input: JsonObject, changes?: Partial<ToolContext>): Promise<ToolOutcome>;
  context(changes?: Partial<ToolContext>): ToolContext;
  seen: Map<string, string>;
  progress: string[];
  blobs: Map<string, Uint8Array>;
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(parent: string = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, 'pawl-tools-')));
  folders.push(folder);
  return folder;
}

export function createWorkspace(options: Partial<ToolOptions> = {}, folder: string = temporaryFolder()): Workspace {
  const tools = new Map(builtinTools(options).map((tool) => [tool.name, tool]));
  const seen = new Map<string, string>();
  const progress: string[] = [];
  const blobs = new Map<string, Uint8Array>();
  const tool = (name: string) => {
    const found = tools.get(name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  const context = (changes: Partial<ToolContext> = {}): ToolContext => ({
    session: 's',
    cwd: folder,
    call: 'c',
    signal: new AbortController().signal,
    blobs: {
      get: async (digest) => blobs.get(digest) ?? null,
      async put(bytes) {
        blobs.set(digestOf(bytes), bytes);
        return digestOf(bytes);
      },
    },
    lastSeen: (path) => seen.get(path) ?? null,
    paths: [],
    basis: null,
    progress: ({ text }) => {
      if (text !== undefined) progress.push(text);
    },
    ...changes,
  });
  const plan = async (name: string, input: JsonObject) => ({
    paths: (await tool(name).paths?.(input, context())) ?? [],
    plan: (await tool(name).plan?.(input, context())) ?? {},
  });
  return {
    folder,
    tool,
    plan,
    context,
    seen,
    progress,
    blobs,
    async call(name, input, changes = {}) {
      const judged = await plan(name, input);
      const outcome = await tool(name).run(
        input,
        context({ paths: judged.paths, basis: judged.plan.basis ?? null, ...changes }),
      );
      for (const [path, digest] of Object.entries(outcome.details?.files ?? {})) {
        if (digest === null) seen.delete(path);
        else seen.set(path, digest);
      }
      return outcome;
    },
  };
}
