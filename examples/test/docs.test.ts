import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type WireAnswer, wireServer } from '@pawl/models/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');

type Played = { answers?: WireAnswer[]; prints: string[] };

const done: WireAnswer = { text: 'Done.' };

/**
 * For each snippet of TypeScript of a page, in order: what the model answers, and what the snippet prints. The model is a
 * local server, reached as the snippet says, over its real wire.
 */
const pages: { [page: string]: Played[] } = {
  'README.md': [{ prints: ['Done.'] }],
  'docs/context.md': [{ prints: ['context.gathered'] }],
  'docs/durability.md': [{ prints: ['It is a log.'] }],
  'docs/models.md': [{ prints: ['Done.'] }],
  'docs/library.md': [
    { prints: ['Done.'] },
    { prints: [''] },
    { prints: ['completed'] },
    { prints: ['echo 3'] },
    { answers: [{ text: '{"bugs":3}' }], prints: ['completed 3'] },
    {
      answers: [{ calls: [{ tool: 'write', input: { path: 'notes.md', content: 'Tidy.' } }] }, done],
      prints: ['allowed: write'],
    },
    { prints: ['idle true', 'user', 'assistant', 'true'] },
    {
      prints: [
        'shot.png image/png completed',
        'notes.png is neither an image nor a PDF; models take images (PNG, JPEG, GIF, WebP) and PDFs.',
      ],
    },
    { prints: ['the call took less than a minute', 'completed'] },
  ],
};

const snippetsOf = (page: string): string[] =>
  [
    ...readFileSync(join(root, page), 'utf8').matchAll(/^```(?:ts|typescript|js|javascript)\b.*\n([\s\S]*?)^```$/gm),
  ].map(([, code = '']) => code);

describe('H11: the snippets of the docs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-docs-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const snippets = globSync('{*.md,docs/*.md,packages/*/README.md}', { cwd: root }).flatMap((page) =>
    snippetsOf(page).map((code, index) => {
      const name = `${page.replace(/\W/g, '-')}-${index + 1}`;
      mkdirSync(join(folder, name));
      const file = join(folder, name, 'snippet.ts');
      // A module, whatever is in it.
      writeFileSync(file, `${code}export {};\n`);
      return { page, number: index + 1, name, file, played: pages[page]?.[index] };
    }),
  );

  it('are all played by this test', () => {
    const counts = Object.fromEntries(Object.entries(pages).map(([page, played]) => [page, played.length]));
    const found: { [page: string]: number } = {};
    for (const { page } of snippets) found[page] = (found[page] ?? 0) + 1;
    expect(found).toEqual(counts);
  });

  it('are right for the strict compiler', () => {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const compilerOptions = { types: ['node'], noUnusedLocals: false };
    const config = { extends: join(root, 'tsconfig.json'), include: ['*/snippet.ts'], compilerOptions };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    const { status, stdout } = spawnSync(tsc, ['--project', folder], { encoding: 'utf8', cwd: folder });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it.each(snippets)('run and print what they should: $page, number $number', async ({ file, name, played }) => {
    const { answers = [done, done, done], prints } = played ?? { prints: [] };
    const server = await wireServer(answers);
    onTestFinished(() => server.close());
    const { status, stdout, stderr } = await playFile(file, {
      ...process.env,
      NODE_NO_WARNINGS: '1',
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'local',
      OPENAI_BASE_URL: `${server.url}/v1`,
      OPENAI_API_KEY: 'local',
    });
    expect({ name, status, stderr, prints: stdout.trimEnd().split('\n') }).toEqual({
      name,
      status: 0,
      stderr: '',
      prints,
    });
  });
});

/** Beside this process, in which the server answers. */
async function playFile(file: string, env: NodeJS.ProcessEnv) {
  const child = spawn(node, [file], { cwd: dirname(file), env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [status] = await once(child, 'close');
  return { status, stdout, stderr };
}

it.each(globSync('{*.md,docs/*.md,bench/*.md,packages/*/README.md}', { cwd: root }))(
  'the links of %s lead somewhere',
  (page) => {
    const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)];
    const lost = links.map(([, link = '']) => link).filter((link) => !existsSync(join(root, dirname(page), link)));
    expect(lost).toEqual([]);
  },
);
