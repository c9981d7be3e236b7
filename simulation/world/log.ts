/** A log on a simulated disk that all simulated machines share, with the faults that a disk and a network have. */
import { createHash } from 'node:crypto';
import type { SessionLog, Storage } from '@pawl/engine';
import type { DurableEvent } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { Random } from './random.ts';
import type { Owner, Scheduler } from './scheduler.ts';

export type Disk = {
  /** The log as one machine sees it. */
  view(owner: Owner): Storage;
  /** What stands in the log of a session. */
  head(session: string): number;
  bytes(session: string): string;
  sessions(): string[];
  /** Keeps bytes at once, as somebody else on the same disk would. The digest. */
  keep(bytes: Uint8Array): string;
  blob(digest: string): Uint8Array | null;
  /** Gives up the claims of a machine that died. */
  release(owner: Owner): void;
  /** Appends of a dead machine that are on their way still may or may not arrive. */
  lose(owner: Owner): void;
};

export type DiskOptions = {
  scheduler: Scheduler;
  random: Random;
  /** Whether things go wrong now. */
  isFaulty(): boolean;
  /** Called when a record has become durable. The events are the disk's own copies. */
  onLanded(session: string, events: DurableEvent[], owner: Owner): void;
  /** Called right before the writer learns that its record is durable. */
  onAcknowledged(session: string, seq: number, owner: Owner): void;
  /** A deliberate fault: appends wherever the session stands. */
  ignoresExpectedSeq: boolean;
};

type Fate = 'lands' | 'fails' | 'unacknowledged' | 'in_doubt';

export function createDisk(options: DiskOptions): Disk {
  const { scheduler, random, isFaulty } = options;
  const records = new Map<string, { lastSeq: number; body: string }[]>();
  const claims = new Map<string, Owner>();
  const blobs = new Map<string, Uint8Array>();
  const inFlight = new Map<Owner, Set<() => void>>();
  const faultRate = random.pick([0, 0.02, 0.08]);

  const head = (session: string): number => records.get(session)?.at(-1)?.lastSeq ?? 0;
  const conflict = (session: string) =>
    new PawlError('conflict', `Session ${session} stands at ${head(session)}. Read it again before you write.`);
  const unavailable = () => new PawlError('log_unavailable', 'The simulated disk failed. Try again.');

  const land = (session: string, expectedSeq: number, body: string, owner: Owner): boolean => {
    if (head(session) !== expectedSeq && !options.ignoresExpectedSeq) return false;
    const events = JSON.parse(body) as DurableEvent[];
    const own = records.get(session) ?? [];
    own.push({ lastSeq: events.at(-1)?.seq ?? expectedSeq, body });
    records.set(session, own);
    options.onLanded(session, events, owner);
    return true;
  };

  const chooseFate = (): Fate => {
    if (!isFaulty() || !random.chance(faultRate)) return 'lands';
    return random.pick(['fails', 'unacknowledged', 'in_doubt']);
  };

  const read = (session: string, afterSeq: number): DurableEvent[] => {
    const wanted = records.get(session)?.filter((record) => record.lastSeq > afterSeq) ?? [];
    return wanted.flatMap(({ body }) => JSON.parse(body) as DurableEvent[]).filter((event) => event.seq > afterSeq);
  };

  const keep = (bytes: Uint8Array): string => {
    const digest = `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
    blobs.set(digest, bytes);
    return digest;
  };

  /** An operation that may fail before it did anything. */
  const attempt = async (owner: Owner, label: string): Promise<void> => {
    const fails = isFaulty() && random.chance(faultRate / 2);
    await scheduler.wait(owner, fails ? `${label} fails` : label);
    if (fails) throw unavailable();
  };

  const append: (owner: Owner) => SessionLog['append'] = (owner) => (session, expectedSeq, events) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(events);
      const label = `append to ${session} ${expectedSeq + 1}: ${events.map((event) => event.type).join(' ')}`;
      const fate = chooseFate();
      const answer = (what: string, give: () => void) => scheduler.add(owner, `${label}: ${what}`, give);
      if (fate === 'fails' || fate === 'in_doubt') answer('fails', () => reject(unavailable()));
      if (fate === 'fails') return;
      // What is on its way to the disk arrives whether its sender lives, sleeps or is gone.
      const arrive = () => {
        own.delete(stop);
        const isLanded = land(session, expectedSeq, body, owner);
        if (fate === 'in_doubt') return;
        if (!isLanded) answer('conflict', () => reject(conflict(session)));
        else if (fate === 'unacknowledged') answer('the answer is lost', () => reject(unavailable()));
        else {
          answer('is durable', () => {
            options.onAcknowledged(session, expectedSeq + events.length, owner);
            resolve();
          });
        }
      };
      const own = inFlight.get(owner) ?? new Set();
      inFlight.set(owner, own);
      const stop = scheduler.add(null, `${owner.name}: ${label}: arrives`, arrive);
      own.add(stop);
    });

  const claim: (owner: Owner) => SessionLog['claim'] = (owner) => async (session) => {
    await attempt(owner, `claim ${session}`);
    const holder = claims.get(session);
    if (holder !== undefined && !holder.isDead) {
      // A lease runs out while its holder sleeps, and now and then one is given twice.
      const isGivenTwice =
        holder === owner ? false : holder.isAsleep ? random.chance(0.7) : isFaulty() && random.chance(0.05);
      if (!isGivenTwice) throw new PawlError('session_locked', `${holder.name} drives session ${session}. Watch it.`);
    }
    claims.set(session, owner);
    return {
      async release() {
        await scheduler.wait(owner, `release ${session}`);
        if (claims.get(session) === owner) claims.delete(session);
        if (isFaulty() && random.chance(faultRate)) throw unavailable();
      },
    };
  };

  return {
    head,
    bytes: (session) =>
      records
        .get(session)
        ?.map((record) => record.body)
        .join('\n') ?? '',
    sessions: () => [...records.keys()],
    keep,
    blob: (digest) => blobs.get(digest) ?? null,
    release(owner) {
      for (const [session, holder] of claims) if (holder === owner) claims.delete(session);
    },
    lose(owner) {
      for (const stop of inFlight.get(owner) ?? []) if (random.chance(0.5)) stop();
    },
    view: (owner) => ({
      append: append(owner),
      claim: claim(owner),
      async read(session, afterSeq = 0) {
        await attempt(owner, `read ${session} after ${afterSeq}`);
        return read(session, afterSeq);
      },
      async list() {
        await attempt(owner, 'list');
        return [];
      },
      async delete(session) {
        await attempt(owner, `delete ${session}`);
        throw new PawlError('session_locked', `Session ${session} is kept: the simulator looks at it in the end.`);
      },
      // biome-ignore lint/correctness/useYield: nobody watches through the simulated disk; clients watch through a host.
      async *watch() {
        await attempt(owner, 'watch');
      },
      damage: () => [],
      async close() {
        await attempt(owner, 'close');
      },
      async put(bytes) {
        await attempt(owner, 'put a blob');
        return keep(bytes);
      },
      async get(digest) {
        await attempt(owner, 'get a blob');
        return blobs.get(digest) ?? null;
      },
    }),
  };
}
