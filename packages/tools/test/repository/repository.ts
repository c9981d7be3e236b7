import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ToolOutcome, ToolPlan } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';
import { repositoryTools } from '../../src/repository/index.ts';
import { createWorkspace, temporaryFolder } from '../workspace.ts';

export type TestRepository = {
  folder: string;
  /** Git as a person runs it, without the settings of whoever runs the tests. */
  git(...words: string[]): string;
  write(path: string, text: string): void;
  judge(name: string, input?: JsonObject): Promise<{ paths: readonly string[]; plan: ToolPlan }>;
  call(name: string, input?: JsonObject): Promise<ToolOutcome>;
  /** Runs only, with what `judge` found. */
  run(name: string, input: JsonObject, judged: { paths: readonly string[]; plan: ToolPlan }): Promise<ToolOutcome>;
  tool(name: string): ReturnType<typeof repositoryTools>[number];
  /** A command that leaves a mark when it is run, whatever it is given. */
  trap(name: string): string;
  /** Names of the traps that were run. */
  sprung(): string[];
};

/** Settings of a person, apart from this machine's. */
const home = () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, '.gitconfig'),
    '[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n',
  );
  return folder;
};

export function createRepository(folder = temporaryFolder(), extra: Record<string, string> = {}): TestRepository {
  const environment = { PATH: process.env.PATH, HOME: home(), GIT_CONFIG_NOSYSTEM: '1', ...extra };
  const marks = temporaryFolder();
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: folder, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (!existsSync(join(folder, '.git'))) git('init', '-q');
  const tools = repositoryTools({ environment });
  const { context } = createWorkspace({}, folder);
  const tool = (name: string) => {
    const found = tools.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  const judge = async (name: string, input: JsonObject = {}) => ({
    paths: (await tool(name).paths?.(input, context())) ?? [],
    plan: (await tool(name).plan?.(input, context())) ?? {},
  });
  const run: TestRepository['run'] = (name, input, { paths, plan }) =>
    tool(name).run(input, context({ paths, basis: plan.basis ?? null }));
  return {
    folder,
    git,
    tool,
    judge,
    run,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    call: async (name, input = {}) => run(name, input, await judge(name, input)),
    trap(name) {
      const script = join(marks, `${name}.sh`);
      writeFileSync(script, `#!/bin/sh\ntouch '${join(marks, `${name}.mark`)}'\ncat 2>/dev/null\nexit 0\n`, {
        mode: 0o755,
      });
      return script;
    },
    sprung: () =>
      readdirSync(marks)
        .filter((name) => name.endsWith('.mark'))
        .map((name) => name.slice(0, -'.mark'.length)),
  };
}

/** One with a commit, a staged, a changed and a new file. */
export function createBusyRepository(folder?: string): TestRepository {
  const repository = createRepository(folder);
  repository.write('a.txt', 'one\n');
  repository.write('src/b.ts', 'const b = 1;\n');
  repository.git('add', '.');
  repository.git('commit', '-qm', 'First commit');
  repository.write('a.txt', 'one\ntwo\n');
  repository.write('src/b.ts', 'const b = 2;\n');
  repository.git('add', 'src/b.ts');
  repository.write('new.txt', 'new\n');
  return repository;
}
