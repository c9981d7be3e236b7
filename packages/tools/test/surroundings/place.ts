/** A user's folder and a project, and what is gathered in them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Memory, SurroundingsQuery } from '@pawl/engine';
import { promptText } from '@pawl/engine';
import type { Fragment } from '@pawl/protocol';
import { type SurroundingsOptions, surroundings } from '../../src/surroundings/index.ts';
import { temporaryFolder } from '../workspace.ts';

export type Place = {
  user: string;
  project: string;
  /** Relative to the project. */
  write(path: string, text: string): void;
  writeUser(path: string, text: string): void;
  gather(query?: Partial<SurroundingsQuery>, options?: SurroundingsOptions): Promise<Gathered>;
};
type Gathered = { fragments: readonly Fragment[] | null; notices: string[]; text: string };

export function createPlace(options: SurroundingsOptions = {}): Place {
  const root = temporaryFolder();
  const [user, project] = [join(root, 'user'), join(root, 'project')];
  for (const folder of [user, join(project, '.git')]) mkdirSync(folder, { recursive: true });
  const into = (folder: string) => (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const environment = { PATH: process.env.PATH, HOME: user };
  return {
    user,
    project,
    write: into(project),
    writeUser: into(user),
    async gather(query = {}, more = {}) {
      const notices: string[] = [];
      const port = surroundings({
        userFolder: user,
        environment,
        platform: 'linux',
        gitWithinMs: 60_000,
        ...options,
        ...more,
      });
      const whole: SurroundingsQuery = {
        session: 's',
        cwd: project,
        agent: 'builder',
        role: null,
        mode: 'manual',
        isAttended: true,
        metadata: {},
        task: 'Water the roses.',
        isFull: true,
        fragments: [],
        prompts: new Map(),
        now: Date.UTC(2026, 10, 22, 12),
        notice: (message) => notices.push(message),
        ...query,
      };
      const fragments = await port.gather(whole, new AbortController().signal);
      return { fragments, notices, text: promptText(fragments ?? whole.fragments) };
    },
  };
}

/** A memory that holds these, and finds all of them. */
export function memoryOf(texts: readonly string[], more: { close?: readonly string[] } = {}): Memory {
  const notes = texts.map((text, index) => ({
    id: `n${index}`,
    text,
    folder: null,
    at: 1_700_000_000_000 - index,
    by: { kind: 'human' as const, id: 'ann' },
    session: null,
    call: null,
    source: null,
  }));
  const refuse = () => Promise.reject(new Error('Nothing is written here.'));
  return {
    search: async () => (more.close ?? []).flatMap((text) => notes.filter((note) => note.text === text)),
    list: async () => notes,
    add: refuse,
    remove: refuse,
    close: async () => undefined,
  };
}
