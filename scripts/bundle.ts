/**
 * Makes a few files of a package's many, so that it loads fast: its entries, and what they share or load later, in
 * chunks. Comments stay in the sources. Other packages stay imports.
 */
import { cpSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { loadBuiltinsLate } from './late-builtins.ts';

export type Bundle = {
  /** The name of each entry, as its file has it without the extension, and the source that it is made of. */
  input: { [entry: string]: string };
  target: string;
  chunkNames: string;
  /** Which imports stay imports. */
  isExternal: (id: string) => boolean;
};

export async function bundle({ input, target, chunkNames, isExternal }: Bundle): Promise<void> {
  const made = await rolldown({
    input,
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && isExternal(id),
    plugins: [loadBuiltinsLate() as Plugin],
  });
  await made.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: chunkNames,
    comments: false,
  });
  await made.close();
}

/** What the sources read from beside themselves is, after bundling, read from beside the chunks. */
export function copyResources(sources: string, target: string): void {
  for (const file of globSync(`${sources}/**/*.{json,wasm,html,css}`)) cpSync(file, join(target, basename(file)));
}
