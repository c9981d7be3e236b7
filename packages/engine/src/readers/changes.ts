/** Which files a session changed, and what they were before: what undoing needs. A fold of the log. */
import type { DurableEvent, EventData, JsonObject, ToolEffect, ToolStatus } from '@pawl/protocol';
import type { FormerEntry } from '../ports.ts';
import { mainArgument } from './argument.ts';
import { storyOf, type TaskLogs } from './family.ts';

/** What turns did to one path, taken together. */
export type FileChange = {
  /** Canonical. */
  path: string;
  before: FormerEntry;
  /** Digest; null for nothing there. */
  after: string | null;
  /** The changes of single calls that make up this one, each with its turn, in order, without those that were undone. */
  steps: { before: FormerEntry; after: string | null; turn: number }[];
  /** Permission bits of what is there after, where they are known. */
  mode: number | null;
  /** Something else changed it between two of the session's own changes. */
  isTangled: boolean;
};

/** A call that may have changed what the log knows nothing of: a command, a tool of others. */
export type BlindCall = { tool: string; argument: string; status: ToolStatus };

export type FileChanges = {
  /** Numbers of the turns that are covered and changed files, in order. */
  turns: number[];
  /** In the order in which the paths were first changed. */
  changes: FileChange[];
  /** Folders that came into being with files in them, outermost first. */
  madeFolders: string[];
  blindCalls: BlindCall[];
};

/** What undo and redo go through, one turn at a time. */
export type UndoStack = {
  /** Turns whose changes stand, at least in part; the latest, which is undone first, is the last. */
  standing: number[];
  /** Turns that were undone, and no file was changed since; the one undone last, which is redone first, is the last. */
  undone: number[];
};

/** As far as the log knows: what was put back without its knowledge counts as standing. */
export function undoStackOf(events: readonly DurableEvent[], tasks: TaskLogs): UndoStack {
  const { changes, turns, undone } = foldChanges(events, { tasks });
  const standing = new Set([...changes.values()].flatMap(({ steps }) => steps.map(({ turn }) => turn)));
  return { standing: turns.filter((turn) => standing.has(turn)), undone };
}

/**
 * The changes of one turn, whether they were undone or not; of all after an event; or of the whole session. What was
 * undone within the latter two, and not done again, counts as if it had not been. What `tasks` did is part of it.
 */
export function fileChangesOf(events: readonly DurableEvent[], range: Range = {}): FileChanges {
  const { undone: _, changes, ...found } = foldChanges(events, range);
  return { ...found, changes: [...changes.values()] };
}

type Range = { turn?: number; afterSeq?: number; tasks?: TaskLogs };
type Folded = Omit<FileChanges, 'changes'> & { changes: Map<string, FileChange>; undone: number[] };

function foldChanges(events: readonly DurableEvent[], range: Range): Folded {
  const { turn: wanted, afterSeq = 0, tasks = new Map() } = range;
  const calls: OpenCalls = new Map();
  const changes = new Map<string, FileChange>();
  const turns = new Set<number>();
  const blindCalls: BlindCall[] = [];
  // What the session made itself and removes again was nothing before.
  const madeFolders = new Set<string>();
  const undone: Undone = new Map();
  let undoneTurns: number[] = [];
  const first = events.find(({ seq }) => seq > afterSeq);
  let isAfter = false;
  for (const { event, turn } of storyOf(events, tasks)) {
    const { type, data, session } = event;
    if (event === first) isAfter = true;
    if (type === 'message.added') rememberCalls(calls, session, data.message);
    else if (type === 'approval.resolved') editCall(calls, session, data);
    else if (type === 'tool.started') {
      calls.set(keyOf(session, data.call), { ...openCall(calls, session, data.call), effect: data.effect });
    } else if (type === 'files.reverted' && isAfter && wanted === undefined) {
      const moved = new Set<number>();
      for (const [path, digest] of Object.entries(data.files)) {
        const known = changes.get(path);
        if (known === undefined) continue;
        const next = reverted(known, digest, data.direction, undone);
        changes.set(path, next);
        for (const turn of turnsBetween(known, next, undone.get(path) ?? [])) moved.add(turn);
      }
      undoneTurns = undoneTurns.filter((turn) => !moved.has(turn));
      // Of what was undone at once, the earliest turn is the first to be done again.
      if (data.direction === 'undo') undoneTurns.push(...[...moved].sort((one, other) => other - one));
    } else if (type === 'tool.finished' && isAfter && (wanted === undefined || turn === wanted)) {
      const found = changesIn(data.details, turn);
      for (const change of found) {
        undone.delete(change.path);
        merge(changes, madeFolders.has(change.path) ? { ...change, before: null } : change);
        if (change.after === null) madeFolders.delete(change.path);
      }
      if (found.length > 0) {
        turns.add(turn);
        // As in every editor: after a new change there is nothing to do again.
        undoneTurns = [];
      }
      for (const folder of foldersIn(data.details)) madeFolders.add(folder);
      const call = openCall(calls, session, data.call);
      if (isBlind(call, data)) blindCalls.push({ ...described(call), status: data.status });
    }
  }
  const inOrder = [...turns].sort((one, other) => one - other);
  return { turns: inOrder, changes, madeFolders: [...madeFolders], blindCalls, undone: undoneTurns };
}

type OpenCall = { tool: string; input: JsonObject; effect: ToolEffect | null };

type OpenCalls = Map<string, OpenCall>;

/** Two sessions may have calls of the same id. */
const keyOf = (session: string, call: string) => `${session}\0${call}`;

const openCall = (calls: Readonly<OpenCalls>, session: string, id: string): OpenCall =>
  calls.get(keyOf(session, id)) ?? { tool: '', input: {}, effect: null };

const described = ({ tool, input }: OpenCall) => ({ tool, argument: mainArgument(input) });

/** Ids of calls begin anew in a fork's own turns; the latest of an id is the one that goes on. */
function rememberCalls(calls: OpenCalls, session: string, message: EventData['message.added']['message']): void {
  if (message.role !== 'assistant') return;
  for (const part of message.content) {
    if (part.type !== 'tool_call') continue;
    calls.set(keyOf(session, part.id), { tool: part.tool, input: part.input, effect: null });
  }
}

function editCall(calls: OpenCalls, session: string, { call, input }: EventData['approval.resolved']): void {
  if (input !== undefined) calls.set(keyOf(session, call), { ...openCall(calls, session, call), input });
}

/**
 * It began, does more than read, and left no account of what it did. What writes files does all or nothing; a command
 * that failed, which says how it ended, may have changed something before.
 */
function isBlind({ effect }: OpenCall, { details, status }: EventData['tool.finished']): boolean {
  if (details?.before !== undefined) return false;
  return effect === 'external' || (effect === 'write' && (status !== 'error' || details?.exitCode !== undefined));
}

const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function changesIn(details: JsonObject | undefined, turn: number): FileChange[] {
  const { before, files, modes } = details ?? {};
  if (!isObject(before) || !isObject(files)) return [];
  return Object.entries(before).flatMap(([path, former]): FileChange[] => {
    const entry = formerEntry(former);
    const after = files[path];
    if (entry === undefined || (typeof after !== 'string' && after !== null)) return [];
    const mode = isObject(modes) && typeof modes[path] === 'number' ? modes[path] : null;
    return [{ path, before: entry, after, steps: [{ before: entry, after, turn }], mode, isTangled: false }];
  });
}

function foldersIn(details: JsonObject | undefined): string[] {
  const folders = details?.folders;
  return Array.isArray(folders) ? folders.filter((folder) => typeof folder === 'string') : [];
}

/** Undefined for what this version does not know. */
function formerEntry(value: unknown): FormerEntry | undefined {
  if (value === null) return null;
  if (!isObject(value)) return undefined;
  const { kind, digest, mode, delta, target, reason } = value;
  if (kind === 'file' && typeof digest === 'string' && typeof mode === 'number') {
    return { kind, digest, mode, ...(typeof delta === 'string' && { delta }) };
  }
  if (kind === 'folder' && typeof mode === 'number') return { kind, mode };
  if (kind === 'link' && typeof target === 'string') return { kind, target };
  return kind === 'lost' ? { kind, reason: String(reason) } : undefined;
}

type Undone = Map<string, FileChange['steps']>;

/** What `files.reverted` says of a path: the digest of a file, null for nothing, and of what is neither what it is. */
export function entryDigest(entry: FormerEntry): string | null {
  switch (entry?.kind) {
    case undefined:
      return null;
    case 'file':
      return entry.digest;
    case 'link':
      return `link:${entry.target}`;
    case 'folder':
    case 'lost':
      return entry.kind;
    default:
      return entry satisfies never;
  }
}

/** As far back, or forth, as the file was put. What nobody knows of the session stays: it shows as tangled later. */
function reverted(known: FileChange, digest: string | null, direction: 'undo' | 'redo', undone: Undone): FileChange {
  const { path, steps } = known;
  const left = undone.get(path) ?? [];
  const index =
    direction === 'undo'
      ? steps.findLastIndex(({ before }) => entryDigest(before) === digest)
      : left.findIndex(({ after }) => after === digest);
  if (index < 0) return known;
  const all = [...steps, ...left];
  const length = direction === 'undo' ? index : steps.length + index + 1;
  undone.set(path, all.slice(length));
  return { ...known, after: digest, steps: all.slice(0, length) };
}

/** Turns of the steps that were taken away from a path, or given back to it. */
function turnsBetween(known: FileChange, next: FileChange, left: FileChange['steps']): number[] {
  const count = known.steps.length - next.steps.length;
  const steps = count > 0 ? left.slice(0, count) : next.steps.slice(known.steps.length);
  return steps.map(({ turn }) => turn);
}

function merge(changes: Map<string, FileChange>, next: FileChange): void {
  const known = changes.get(next.path);
  if (known === undefined) {
    changes.set(next.path, next);
    return;
  }
  const stood = next.before?.kind === 'file' ? next.before.digest : null;
  const isTangled = known.isTangled || stood !== known.after || (next.before !== null && next.before.kind !== 'file');
  const mode = next.mode ?? (next.after === null ? null : known.mode);
  known.steps.push(...next.steps);
  changes.set(next.path, { ...known, after: next.after, mode, isTangled });
}
