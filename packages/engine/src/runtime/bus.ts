/**
 * Broadcasts a session's events to any number of subscribers, none of which can slow the engine. Durable events are never
 * skipped: a subscriber that falls behind reads them from the log. Transient events are not kept: a subscriber that missed
 * some gets a `stream.gap` and the message so far.
 */
import type { Cursor, DurableEvent, PawlEvent, TransientBody, TransientEvent } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { keepAlive } from '../waiting.ts';

/** Events that wait for one subscriber before it has to read from the log. */
const capacity = 4096;

type MessageSoFar = Extract<TransientEvent, { type: 'stream.snapshot' }>['data'];

export class Bus {
  readonly #session: string;
  readonly #read: (afterSeq: number) => Promise<DurableEvent[]>;
  readonly #subscribers = new Set<Subscription>();
  #seq: number;
  #n = 0;
  #soFar: MessageSoFar | null = null;
  #end: { error: PawlError | null } | null = null;
  #isOwing = false;

  constructor(session: string, seq: number, read: (afterSeq: number) => Promise<DurableEvent[]>) {
    this.#session = session;
    this.#seq = seq;
    this.#read = read;
  }

  /** Durable events, after they are durable. */
  publish(events: readonly DurableEvent[]): void {
    // Transient events are numbered after the last durable one, also if nothing is published.
    if (events.length === 0) return;
    for (const event of events) {
      this.#seq = event.seq;
      if (event.type === 'message.added' && event.data.message.role === 'assistant') this.#soFar = null;
      if (event.type === 'turn.ended') this.#soFar = null;
    }
    this.#n = 0;
    for (const subscriber of this.#subscribers) subscriber.publish(events);
  }

  broadcast(body: TransientBody): void {
    if (this.#end !== null) return;
    this.#n += 1;
    this.#soFar = appendToMessage(this.#soFar, body);
    if (this.#subscribers.size === 0) return;
    const { type, data } = body;
    const event = { after: this.#seq, n: this.#n, session: this.#session, type, data } as TransientEvent;
    for (const subscriber of this.#subscribers) subscriber.broadcast(event);
  }

  /** Whether the session has anything left to do, so that more events can be expected. */
  set isOwing(isOwing: boolean) {
    if (this.#isOwing === isOwing) return;
    this.#isOwing = isOwing;
    for (const subscriber of this.#subscribers) subscriber.holdProcess();
  }

  /**
   * Events from `from` on: the durable ones after it, the message so far, then what happens. Without `from`, from now.
   * Ends after the event that `isLast`, when `signal` aborts or the session closes; throws when the session is lost,
   * or closes before the last event. A subscription that `keepsAlive` holds the process open while its reader waits for
   * the last event or, if there is none, for a session that still has something to do.
   */
  subscribe(
    from?: Cursor,
    signal?: AbortSignal,
    { isLast, keepsAlive = false }: { isLast?: (event: PawlEvent) => boolean; keepsAlive?: boolean } = {},
  ): Subscription {
    const end = () => subscription.end(null);
    const subscription: Subscription = new Subscription({
      session: this.#session,
      isLast,
      isExpected: () => keepsAlive && (isLast !== undefined || this.#isOwing),
      from: from ?? { seq: this.#seq, n: this.#n },
      position: () => ({ seq: this.#seq, n: this.#n }),
      read: this.#read,
      snapshot: () => this.#snapshot(),
      leave: () => {
        this.#subscribers.delete(subscription);
        signal?.removeEventListener('abort', end);
      },
    });
    this.#subscribers.add(subscription);
    if (this.#end !== null) subscription.close(this.#end.error);
    if (signal?.aborted === true) subscription.end(null);
    else signal?.addEventListener('abort', end, { once: true });
    return subscription;
  }

  /** Ends every subscription: with `error` by throwing it, else quietly, after what is queued. */
  close(error: PawlError | null): void {
    this.#end ??= { error };
    for (const subscriber of [...this.#subscribers]) subscriber.close(error);
  }

  #snapshot(): TransientEvent | null {
    if (this.#soFar === null) return null;
    return {
      after: this.#seq,
      n: this.#n,
      session: this.#session,
      type: 'stream.snapshot',
      data: structuredClone(this.#soFar),
    };
  }
}

function appendToMessage(soFar: MessageSoFar | null, body: TransientBody): MessageSoFar | null {
  switch (body.type) {
    case 'stream.started':
      return { ...body.data, text: '', thinking: '', calls: [] };
    case 'stream.withdrawn':
      return null;
    case 'stream.text':
      if (soFar !== null) soFar.text += body.data.text;
      return soFar;
    case 'stream.thinking':
      if (soFar !== null) soFar.thinking += body.data.text;
      return soFar;
    case 'stream.input': {
      const open = soFar?.calls.at(-1);
      if (open?.call === body.data.call) open.text += body.data.text;
      else soFar?.calls.push({ ...body.data });
      return soFar;
    }
    default:
      return soFar;
  }
}

type Position = { seq: number; n: number };
type Source = {
  session: string;
  isLast: ((event: PawlEvent) => boolean) | undefined;
  /** Whether the process is to live for the next event. */
  isExpected(): boolean;
  from: Cursor;
  position(): Position;
  read(afterSeq: number): Promise<DurableEvent[]>;
  snapshot(): TransientEvent | null;
  leave(): void;
};

/** One reader's place in the events of a session. */
export class Subscription implements AsyncIterableIterator<PawlEvent> {
  readonly #source: Source;
  #queue: PawlEvent[] = [];
  #head = 0;
  #waiting: { resolve(result: IteratorResult<PawlEvent>): void; reject(error: unknown): void } | null = null;
  #lastSeq: number;
  #missed = 0;
  /** Durable events have passed by that are not in the queue; the log has them. */
  #isBehind: boolean;
  #isReading = false;
  #isHeld = false;
  /** No more live events come; a reader who is behind still gets the durable ones. */
  #end: { error: unknown } | null = null;
  #isDone = false;
  #release: (() => void) | null = null;

  constructor(source: Source) {
    this.#source = source;
    this.#lastSeq = source.from.seq;
    const { seq, n } = source.position();
    this.#isBehind = source.from.seq !== seq || (source.from.n ?? 0) !== n;
    // A client that names the transient event it has seen last is told how many it cannot be given.
    if (source.from.seq === seq && source.from.n !== undefined) this.#missed = Math.max(0, n - source.from.n);
  }

  publish(events: readonly DurableEvent[]): void {
    if (this.#isBehind || this.#length + events.length > capacity) this.#isBehind = true;
    else {
      // What was durable before it was published here may have been read from the log already.
      for (const event of events) if (event.seq > this.#lastSeq) this.#push(event);
      this.#lastSeq = events.at(-1)?.seq ?? this.#lastSeq;
    }
    if (this.#isBehind && this.#waiting !== null) this.#catchUp();
  }

  broadcast(event: TransientEvent): void {
    if (this.#isBehind || this.#length >= capacity) {
      this.#missed += 1;
      this.#isBehind = true;
    } else this.#push(event);
  }

  /** Gives nothing until `release`: it is not known yet where to begin. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Begins to give: what came since it was held, or all that is in the log after `seq`. */
  release(seq?: number): void {
    this.#isHeld = false;
    if (seq !== undefined) {
      this.#queue = [];
      this.#head = 0;
      this.#lastSeq = seq;
      this.#isBehind = true;
      this.#isDone = false;
    }
    if (this.#waiting === null) return;
    if (this.#isBehind) this.#catchUp();
    else this.#answer();
  }

  /** The session is closed, or lost by `error`. Whoever waits for a last event that can no longer come is told. */
  close(error: PawlError | null): void {
    const { isLast, session } = this.#source;
    const unfinished = `Session ${session} was closed before the turn ended. Open it again to go on.`;
    this.end(error ?? (isLast === undefined ? null : new PawlError('session_closed', unfinished)));
  }

  end(error: unknown): void {
    if (this.#end !== null) return;
    this.#end = { error };
    this.#source.leave();
    if (this.#waiting !== null && !this.#isReading) this.#answer();
  }

  next(): Promise<IteratorResult<PawlEvent>> {
    if (this.#length > 0 && !this.#isHeld) return Promise.resolve({ done: false, value: this.#shift() });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.holdProcess();
      if (this.#isBehind && this.#end?.error == null) this.#catchUp();
      else if (this.#end !== null) this.#answer();
    });
  }

  return(): Promise<IteratorResult<PawlEvent>> {
    this.#finish();
    this.#queue = [];
    this.#head = 0;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Keeps the process alive exactly while a reader waits for an event that is expected. */
  holdProcess(): void {
    const isHeld = this.#waiting !== null && this.#source.isExpected();
    if (isHeld) this.#release ??= keepAlive();
    else {
      this.#release?.();
      this.#release = null;
    }
  }

  get #length(): number {
    return this.#queue.length - this.#head;
  }

  #push(event: PawlEvent): void {
    if (this.#isDone) return;
    this.#give(event);
    if (this.#source.isLast?.(event) === true) this.#finish();
  }

  /** Nothing is given after what is queued. */
  #finish(): void {
    this.#isDone = true;
    this.#isBehind = false;
    this.end(null);
  }

  #give(event: PawlEvent): void {
    const waiting = this.#waiting;
    if (waiting !== null && this.#length === 0 && !this.#isReading && !this.#isHeld) {
      this.#waiting = null;
      this.holdProcess();
      waiting.resolve({ done: false, value: event });
    } else this.#queue.push(event);
  }

  #shift(): PawlEvent {
    const event = this.#queue[this.#head] as PawlEvent;
    this.#head += 1;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
    return event;
  }

  #answer(): void {
    const waiting = this.#waiting;
    if (waiting === null || this.#isHeld) return;
    if (this.#length > 0) {
      this.#waiting = null;
      this.holdProcess();
      waiting.resolve({ done: false, value: this.#shift() });
    } else if (this.#end !== null) {
      this.#waiting = null;
      this.holdProcess();
      if (this.#end.error === null) waiting.resolve({ done: true, value: undefined });
      else waiting.reject(this.#end.error);
    }
  }

  #catchUp(): void {
    if (this.#isReading || this.#isHeld) return;
    this.#isReading = true;
    this.#readAll().then(
      () => this.#caughtUp(),
      (error: unknown) => {
        this.#isReading = false;
        this.#end = { error };
        this.#source.leave();
        this.#answer();
      },
    );
  }

  /** Until nothing was published during the read itself. */
  async #readAll(): Promise<void> {
    do {
      const events = await this.#source.read(this.#lastSeq);
      // What was published while an empty answer was on its way is read in the next round.
      if (events.length === 0 && this.#source.position().seq <= this.#lastSeq) break;
      for (const event of events) this.#push(event);
      this.#lastSeq = events.at(-1)?.seq ?? this.#lastSeq;
    } while (this.#lastSeq < this.#source.position().seq && this.#length < capacity);
  }

  #caughtUp(): void {
    this.#isReading = false;
    if (this.#lastSeq >= this.#source.position().seq) {
      this.#isBehind = false;
      const snapshot = this.#source.snapshot();
      if (this.#missed > 0) {
        const { seq, n } = this.#source.position();
        const { session } = this.#source;
        this.#push({ after: seq, n, session, type: 'stream.gap', data: { missed: this.#missed } });
        this.#missed = 0;
      }
      if (snapshot !== null) this.#push(snapshot);
    }
    if (this.#length === 0 && !this.#isBehind && this.#end === null) return;
    this.#answer();
  }
}
