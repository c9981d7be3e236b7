import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');

/** What each snippet marked `ts run` prints, in the order of the page. */
const pages: { [page: string]: string[][] } = {
  'docs/library.md': [
    [
      'shot.png image/png completed',
      'notes.png is neither an image nor a PDF; models take images (PNG, JPEG, GIF, WebP) and PDFs.',
    ],
    ['the call took less than a minute', 'completed'],
  ],
};

describe.each(Object.entries(pages))('the snippets of %s that are marked to run', (page, expected) => {
  it('are typed, run, and print what they should', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-docs-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const config = { extends: join(root, 'tsconfig.json'), include: ['*.ts'], compilerOptions: { types: ['node'] } };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const snippets = [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts run\n([\s\S]*?)^```$/gm)];
    const files = snippets.map(([, code = ''], index) => {
      const file = join(folder, `snippet-${index + 1}.ts`);
      writeFileSync(file, code);
      return file;
    });
    const checked = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['--project', folder], {
      encoding: 'utf8',
      cwd: folder,
    });
    expect(checked.stdout.split('\n').filter((line) => line.startsWith('snippet-'))).toEqual([]);
    const printed = files.map((file) => {
      const { status, stdout, stderr } = spawnSync(node, [file], { encoding: 'utf8', cwd: folder });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return stdout.trimEnd().split('\n');
    });
    expect(printed).toEqual(expected);
  });
});

it.each(globSync('{*.md,docs/*.md,bench/*.md}', { cwd: root }))('the links of %s lead somewhere', (page) => {
  const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)];
  const lost = links.map(([, link = '']) => link).filter((link) => !existsSync(join(root, dirname(page), link)));
  expect(lost).toEqual([]);
});
