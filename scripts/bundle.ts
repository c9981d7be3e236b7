/**
 * Makes a few files of a package's many, so that it loads fast: its entries, and what they share or load later, in
 * chunks. Comments stay in the sources.
 */
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Plugin, type RolldownOutput, rolldown } from 'rolldown';
import { loadBuiltinsLate } from './late-builtins.ts';

export type Bundle = {
  /** The name of each entry, as its file has it without the extension, and the source that it is made of. */
  input: { [entry: string]: string };
  target: string;
  chunkNames: string;
  /** Which imports stay imports. */
  isExternal: (id: string) => boolean;
  plugins?: readonly Plugin[];
  /** A line at the head of an entry: imported before all else. */
  banner?: (entry: string) => string;
};

export async function bundle({
  input,
  target,
  chunkNames,
  isExternal,
  plugins = [],
  banner = () => '',
}: Bundle): Promise<void> {
  const made = await rolldown({
    input,
    platform: 'node',
    // Turndown brings a second DOM for Node, which is not needed where nodes are given to it.
    resolve: { alias: { turndown: 'turndown/lib/turndown.browser.es.js' } },
    // A library that parses pages has one.
    checks: { eval: false },
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && isExternal(id),
    plugins: [...plugins, loadBuiltinsLate(), findResources()],
  });
  const written = await made.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: chunkNames,
    comments: false,
    banner: ({ name }) => banner(name),
  });
  await made.close();
  writeLicences(written, target);
}

/** What is bundled of other people's work goes with their licences. */
function writeLicences({ output }: RolldownOutput, target: string): void {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const folders = modules
    .map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0])
    .filter((found) => found !== undefined);
  const texts = [...new Set(folders)]
    .sort((one, other) => (one < other ? -1 : 1))
    .map((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const [file] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: folder });
      if (file === undefined) throw new Error(`${name} has no licence to go with what is bundled of it.`);
      return `# ${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    });
  if (texts.length > 0) writeFileSync(join(target, 'LICENCES.md'), texts.join('\n'));
}

/** What the sources read from beside themselves lies, after bundling, beside the entries. */
export function copyResources(sources: string, target: string): void {
  for (const file of globSync(`${sources}/**/*.{json,wasm,html,css}`)) cpSync(file, join(target, basename(file)));
}

function findResources(): Plugin {
  return {
    name: 'find-resources',
    renderChunk(code, { fileName }) {
      const up = '../'.repeat(fileName.split('/').length - 1);
      return code.replace(/new URL\("\.\/([\w.-]+)", import\.meta\.url\)/g, `new URL("./${up}$1", import.meta.url)`);
    },
  };
}
