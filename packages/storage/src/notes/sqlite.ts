/** Notes that outlast sessions, in a SQLite file of their own with an index of their words. */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Memory, MemoryNote } from '@pawl/engine';
import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import { rowOf, rowsOf, transaction } from '../sqlite/connection.ts';
import { wordsOf } from '../words.ts';
import { distinctiveWords } from './distinctive-words.ts';
import { type Match, ranked } from './rank.ts';

export type SqliteMemoryOptions = {
  /** The database file. It and its folder are made when the first note is added, readable by this user only. */
  path: string;
  /** Unix milliseconds; the system's clock if not given. */
  now?: () => number;
};

const applicationId = 0x5061774d;
const shape = 1;
const longestNote = 4000;
/** Matches that are ranked, at most: the best ones by their words. */
const maxMatches = 200;
const maxWords = 64;

const statements = {
  note: 'SELECT * FROM notes WHERE id = ?',
  ofCall: 'SELECT * FROM notes WHERE session = ? AND call = ?',
  list: 'SELECT * FROM notes ORDER BY at DESC, id',
  add: `INSERT INTO notes (id, text, folder, at, by_kind, by_id, session, call, source)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  index: 'INSERT INTO note_words (rowid, words) SELECT number, ? FROM notes WHERE id = ?',
  unindex: 'DELETE FROM note_words WHERE rowid = (SELECT number FROM notes WHERE id = ?)',
  remove: 'DELETE FROM notes WHERE id = ?',
  search: `SELECT notes.*, bm25(note_words) AS score FROM note_words JOIN notes ON notes.number = note_words.rowid
           WHERE note_words MATCH ? AND (folder IS NULL OR folder IN (SELECT value FROM json_each(?))) ORDER BY score, id LIMIT ${maxMatches}`,
};

type Row = {
  id: string;
  text: string;
  folder: string | null;
  at: number;
  by_kind: 'human' | 'agent';
  by_id: string;
  session: string | null;
  call: string | null;
  source: string | null;
};

/**
 * For all processes of one machine. Nothing is opened before it is used, and where there is no file there are no notes.
 * All functions throw `memory_unavailable` when the file cannot be used.
 * @example
 * const memory = sqliteMemory({ path: '/home/me/memory.db' });
 * const host = createHost({ log, model, memory });
 */
export function sqliteMemory(options: SqliteMemoryOptions): Memory {
  const path = resolve(options.path);
  const { now = Date.now } = options;
  let database: DatabaseSync | null = null;
  let isClosed = false;

  const open = (): DatabaseSync => {
    if (isClosed) throw new PawlError('memory_unavailable', 'This memory is closed.');
    database ??= connect(path);
    return database;
  };

  const attempt = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (error) {
      if (isPawlError(error)) throw error;
      throw new PawlError(
        'memory_unavailable',
        `${path} could not be used (${messageOf(error)}). Check it and its folder; if it is damaged, move it away.`,
        { cause: error },
      );
    }
  };

  /** `none` where there is no file yet. */
  const use = <Value>(none: Value, work: (database: DatabaseSync) => Value): Value =>
    attempt(() => (database === null && !isClosed && !existsSync(path) ? none : work(open())));

  const write = <Value>(work: (database: DatabaseSync) => Value): Value =>
    attempt(() => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // Only where there is none yet: closing a file that SQLite has open in this process would drop its locks.
      if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
      return work(open());
    });

  return {
    async search(query, { cwd, limit }) {
      const words = [...new Set(distinctiveWords(wordsOf(query)))].slice(0, maxWords);
      if (words.length === 0) return [];
      const matches = use([], (opened) =>
        rowsOf<Row & { score: number }>(
          opened.prepare(statements.search),
          words.map((word) => `"${word}"`).join(' OR '),
          JSON.stringify(foldersAbove(cwd)),
        ),
      );
      return ranked(matches.map((row): Match => ({ note: noteOf(row), score: -row.score }))).slice(0, limit);
    },
    async add({ text, folder, by, session, call, source }) {
      const plain = text.trim();
      if (plain === '') throw new PawlError('empty_note', 'The note is empty. Say what is to be remembered.');
      if (plain.length > longestNote) {
        throw new PawlError(
          'note_too_long',
          `The note has more than ${longestNote} characters. Say it shorter, or in several.`,
        );
      }
      const at = now();
      return write((opened) =>
        transaction(opened, () => {
          const before = rowOf<Row>(opened.prepare(statements.ofCall), session, call);
          if (before !== undefined) return noteOf(before);
          const id = freeId(opened, `${at} ${plain}`);
          opened.prepare(statements.add).run(id, plain, folder, at, by.kind, by.id, session, call, source);
          opened.prepare(statements.index).run(wordsOf(plain).join(' '), id);
          return { id, text: plain, folder, at, by, session, call, source };
        }),
      );
    },
    async remove(id) {
      const hasRemoved = use(false, (opened) =>
        transaction(opened, () => {
          opened.prepare(statements.unindex).run(id);
          return opened.prepare(statements.remove).run(id).changes > 0;
        }),
      );
      if (!hasRemoved) throw new PawlError('no_note', `There is no note ${id}. List them with: pawl memory list`);
    },
    async list() {
      return use([], (opened) => rowsOf<Row>(opened.prepare(statements.list)).map(noteOf));
    },
    async close() {
      isClosed = true;
      database?.close();
      database = null;
    },
  };
}

/** @throws what SQLite says, or that the file is another program's or newer. */
function connect(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    const numberOf = (pragma: string) => Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    const isEmpty = database.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined;
    if (!isEmpty && numberOf('application_id') !== applicationId) throw new Error("it is another program's database");
    if (numberOf('user_version') > shape) throw new Error('a newer Pawl wrote it; update Pawl');
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
    // Whoever only reads waits for no writer.
    if (numberOf('user_version') === shape) return database;
    transaction(database, () => {
      if (numberOf('user_version') === shape) return;
      database.exec(`
        PRAGMA application_id = ${applicationId};
        PRAGMA user_version = ${shape};
        CREATE TABLE notes (
          number INTEGER PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          text TEXT NOT NULL,
          folder TEXT,
          at REAL NOT NULL,
          by_kind TEXT NOT NULL,
          by_id TEXT NOT NULL,
          session TEXT,
          call TEXT,
          source TEXT
        ) STRICT;
        CREATE UNIQUE INDEX notes_call ON notes (session, call) WHERE session IS NOT NULL AND call IS NOT NULL;
        CREATE VIRTUAL TABLE note_words USING fts5(words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
      `);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A short id that nobody has. */
function freeId(database: DatabaseSync, seed: string): string {
  for (let attempt = 0; ; attempt++) {
    const id = createHash('sha256').update(`${seed} ${attempt}`).digest('hex').slice(0, 8);
    if (rowOf<Row>(database.prepare(statements.note), id) === undefined) return id;
  }
}

function noteOf(row: Row): MemoryNote {
  const { id, text, folder, at, by_kind, by_id, session, call, source } = row;
  return { id, text, folder, at, by: { kind: by_kind, id: by_id }, session, call, source };
}

/** A folder and all that it lies in. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...foldersAbove(above)];
}
