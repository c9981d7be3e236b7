/** What the conversation at the terminal works with: the sessions of this machine, and this program. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host, SessionSummary, Storage } from '@pawl/engine';
import { oneLine } from '@pawl/engine/readers/visible';
import { modelText } from '@pawl/engine/readers/words';
import { limitOfRule } from '@pawl/policy';
import type { PermissionMode, SessionClient, UserPart } from '@pawl/protocol';
import type { Entry, Home, Ran } from '@pawl/terminal';
import { readAgents } from '../agents/find.ts';
import type { Config } from '../config/config.ts';
import { asGuestOf } from './guest.ts';

export type HomeOptions = {
  host: Host;
  log: Storage;
  config: Config;
  cwd: string;
  settings: { agent: string; model: string; mode: PermissionMode };
  session: string | null;
  prompt: UserPart[] | null;
  create(): Promise<SessionClient>;
  /** Takes up a session that nobody drives. */
  open(session: string): Promise<SessionClient>;
  onFirstAnswer(): void;
  onRuleKept(layer: 'user' | 'project', rule: string): void;
};

/** Files that are offered at most. */
const mostFiles = 20_000;

export function homeOf(options: HomeOptions): Home {
  const { host, log, config, cwd, settings, session, prompt, create, open, onFirstAnswer, onRuleKept } = options;
  return {
    client: host,
    cwd,
    settings,
    session,
    prompt,
    create,
    async take(named) {
      return (await asGuestOf(log, named)) ?? { client: host, session: await open(named), isGuest: false };
    },
    async keepRule(scope, rule) {
      const { keepRule } = await import('../approvals/keep-rule.ts');
      await keepRule(scope, rule, cwd);
      onRuleKept(scope, rule);
    },
    limitOf: limitOfRule,
    answered: onFirstAnswer,
    async files() {
      const { fileNames } = await import('@pawl/tools/names');
      return fileNames(cwd, mostFiles);
    },
    branch: () => branchOf(cwd),
    async sessions() {
      const here = await log.list({ cwd, isMain: true, isArchived: false, limit: 100 });
      const all = await log.list({ isMain: true, isArchived: false, limit: 100 });
      const elsewhere = all.filter((summary) => summary.cwd !== cwd);
      return [
        ...here.map((summary) => sessionEntry(summary, false)),
        ...elsewhere.map((summary) => sessionEntry(summary, true)),
      ];
    },
    async agents() {
      const { found } = await readAgents(cwd);
      return found
        .filter(({ agent }) => agent.mode !== 'task')
        .map(({ agent }) => ({ value: agent.name, label: agent.name, details: oneLine(agent.description) }));
    },
    models: () => modelEntries(config, cwd),
    async revert(id, direction) {
      const { revert } = await import('./undo.ts');
      return revert(host, log, id, direction);
    },
    program: (words) => runProgram(process.execPath, [process.argv[1] ?? '', ...words], cwd),
    shell: (command, signal) => runProgram('/bin/sh', ['-c', command], cwd, signal),
  };
}

function sessionEntry(
  { session, title, firstMessage, model, updatedAt, cwd, isLocked }: SessionSummary,
  tellsFolder: boolean,
): Entry {
  const day = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ');
  const facts = [day, modelText(model), ...(isLocked ? ['running'] : []), ...(tellsFolder ? [cwd] : [])];
  return { value: session, label: oneLine(title ?? firstMessage) || session, details: facts.join(' · ') };
}

async function modelEntries(config: Config, cwd: string): Promise<Entry[]> {
  const { collectModels } = await import('../models/collect.ts');
  const { pools, models } = await collectModels({ config, folder: cwd, filter: null });
  return [
    ...pools.map(({ pool, models: chain }) => ({
      value: pool,
      label: pool,
      details: chain.map(({ id }) => id).join(' → '),
    })),
    ...models.map(({ id, isReady, contextTokens }) => ({
      value: id,
      label: id,
      details: `${Math.round(contextTokens / 1000)}k${isReady ? '' : ', has no key'}`,
    })),
    { value: 'demo', label: 'demo', details: 'no network, no key: for trying things out' },
  ];
}

/** The branch that is checked out, read from git's own files. */
async function branchOf(cwd: string): Promise<string | null> {
  const head = await readFile(join(cwd, '.git', 'HEAD'), 'utf8').catch(() => null);
  return head === null ? null : (/^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? head.trim().slice(0, 8));
}

const mostOutput = 200_000;

/** What it writes, to wherever, as plain text. */
function runProgram(file: string, words: readonly string[], cwd: string, signal?: AbortSignal): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
    const child = spawn(file, [...words], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal !== undefined && { signal }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (output.length < mostOutput) output += text;
      });
    }
    child.on('error', (error) => resolve({ output: `${output}${error.message}`, isOk: false }));
    child.on('close', (code) => resolve({ output, isOk: code === 0 }));
  });
}
