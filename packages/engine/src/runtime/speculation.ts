/**
 * What is done for the calls of an answer before the log has it. Speculation is free or forbidden: a call may be judged
 * early, which changes nothing; and it may be run early if its arguments are whole and valid, it only reads, and policy
 * allows it without a question. What comes of that is held until the call is in the log, or thrown away without a trace.
 */
import type { JsonObject, Judgement } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { Call, Effect, Outcome } from '../core/index.ts';
import { findCall, isSameJson } from '../core/index.ts';
import { validateInput } from '../registry/validate.ts';
import type { EarlyCall, EarlyCalls } from './early-calls.ts';
import type { EffectContext } from './effects/effect.ts';
import type { Ran } from './effects/ended.ts';
import { judge } from './effects/judge.ts';
import { runOnce } from './effects/run.ts';

/** Calls that run early at the same time, at most. */
const maxAtOnce = 4;

type World = Pick<EffectContext, 'ports' | 'state'>;
type Entry = {
  early: EarlyCall;
  /** The session's last event when it was judged. */
  seq: number;
  judgement: Judgement | null;
  /** The arguments as the tool gets them. */
  input: JsonObject;
  running: Promise<Ran> | null;
  ran: Ran | null;
  controller: AbortController;
};

/** The early calls of one session; those of one answer at a time. */
export class Speculation implements EarlyCalls {
  readonly #world: World;
  readonly #entries = new Map<string, Entry>();
  /** To be judged, and to be run, in their order. */
  #toJudge: Entry[] = [];
  #toRun: Entry[] = [];
  #isJudging = false;
  #runs = 0;
  /** Nothing that stands after a call that may change something is read before it. */
  #isBlocked = false;
  #whenIdle: (() => void)[] = [];
  #answer = 0;

  constructor(world: World) {
    this.#world = world;
  }

  offer(early: EarlyCall): void {
    const { seq, turn } = this.#world.state;
    // In a record that is being written, the answer may be given up already.
    if (turn?.phase !== 'model') return;
    const controller = new AbortController();
    // Said again, with other arguments perhaps: the last counts.
    this.#entries.get(early.id)?.controller.abort(notMade());
    const entry: Entry = { early, seq, judgement: null, input: early.input, running: null, ran: null, controller };
    this.#entries.set(early.id, entry);
    this.#toJudge.push(entry);
    if (!this.#isJudging) this.#judgeAll(this.#answer).catch(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#entries.size === 0) return;
    const { clock } = this.#world.ports;
    await new Promise<void>((resolve) => {
      if (this.#isIdle()) resolve();
      else {
        this.#whenIdle.push(resolve);
        clock.at(clock.now(), resolve);
      }
    });
    this.#toJudge = [];
    this.#toRun = [];
    this.#isBlocked = true;
  }

  discard(): void {
    this.#answer += 1;
    this.#isJudging = false;
    this.#toJudge = [];
    this.#toRun = [];
    this.#isBlocked = false;
    for (const { controller } of this.#entries.values()) controller.abort(notMade());
    this.#entries.clear();
    this.#noteIdle();
  }

  /**
   * What an owed effect would bring back, if that is known already. A judgement holds for the state that it was made
   * in: `seq` is the session's last event before the answer.
   */
  known(owed: () => readonly Effect[], seq: number): Outcome | null {
    if (this.#entries.size === 0) return null;
    for (const effect of owed()) {
      if (effect.kind !== 'judge' && effect.kind !== 'tool') continue;
      const call = findCall(this.#world.state, effect.call);
      const entry = this.#entries.get(effect.call);
      if (call === undefined || entry === undefined || !isSame(entry.early, call)) continue;
      if (effect.kind === 'judge' && entry.judgement !== null && entry.seq === seq && call.round === 1) {
        return { type: 'tool.judged', effect: effect.id, judgement: entry.judgement };
      }
      const { ran } = entry;
      if (effect.kind === 'tool' && effect.mode === 'run' && ran !== null && this.#stands(entry, call)) {
        this.#entries.delete(call.id);
        if ('outdated' in ran) continue;
        const { ending, ...said } = ran;
        return { type: 'tool.finished', effect: effect.id, data: { call: call.id, ...ending }, ...said };
      }
    }
    return null;
  }

  take(call: Call, signal: AbortSignal): Promise<Ran> | null {
    const entry = this.#entries.get(call.id);
    if (entry === undefined) return null;
    this.#entries.delete(call.id);
    if (entry.running === null) return null;
    if (!isSame(entry.early, call) || !this.#stands(entry, call)) {
      entry.controller.abort(notMade());
      return null;
    }
    signal.addEventListener('abort', () => entry.controller.abort(signal.reason), { once: true });
    return entry.running;
  }

  /** Whether the call was judged the same, and nothing before it in its step has changed or may change something. */
  #stands({ judgement: early }: Entry, call: Call): boolean {
    const { judgement } = call;
    // What needs leave now is not what was begun without.
    if (early === null || judgement?.verdict !== 'allow') return false;
    if (early !== judgement && !isJudgedSame(early, judgement)) return false;
    const calls = this.#world.state.turn?.calls ?? [];
    return calls.slice(0, calls.indexOf(call)).every((other) => {
      const known = other.judgement;
      return known !== null && (known.verdict === 'deny' || known.effect === 'read');
    });
  }

  async #judgeAll(answer: number): Promise<void> {
    this.#isJudging = true;
    for (let entry = this.#toJudge.shift(); entry !== undefined; entry = this.#toJudge.shift()) {
      const { early, controller } = entry;
      const judgement = await judge({ ...early, malformed: null }, { ...this.#world, signal: controller.signal });
      if (answer !== this.#answer) return;
      if (controller.signal.aborted) continue;
      entry.judgement = judgement;
      // A refusal changes nothing; what is more than a read without a question may.
      if (judgement.verdict === 'deny' || this.#isBlocked) continue;
      const tool = this.#world.ports.tools.get(early.tool);
      const asksNothing = judgement.verdict === 'allow' && judgement.questions === undefined;
      // What middleware does about a call that is not made after all, nobody here knows.
      const isPlain = this.#world.ports.toolMiddleware.length === 0;
      const mayBegin = tool !== undefined && tool.beginsEarly !== false;
      const isFree = asksNothing && judgement.effect === 'read' && mayBegin && isPlain;
      const valid = isFree ? await validateInput(tool, early.input) : null;
      if (answer !== this.#answer) return;
      if (controller.signal.aborted || this.#isBlocked) continue;
      if (valid?.ok !== true) {
        this.#isBlocked = true;
        continue;
      }
      entry.input = valid.value;
      this.#toRun.push(entry);
      this.#runNext();
    }
    this.#isJudging = false;
    this.#noteIdle();
  }

  #runNext(): void {
    while (this.#runs < maxAtOnce) {
      const entry = this.#toRun.shift();
      if (entry === undefined) return;
      this.#run(entry);
    }
  }

  #run(entry: Entry): void {
    const { early, input, judgement, controller } = entry;
    const { ports, state } = this.#world;
    const tool = ports.tools.get(early.tool);
    // Rules may have changed since it was judged.
    if (tool === undefined || controller.signal.aborted || state.seq !== entry.seq) return;
    this.#runs += 1;
    const world = { ...this.#world, signal: controller.signal };
    const done = runOnce(world, tool, { id: early.id, input, judgement }, () => undefined, true);
    entry.running = done.then((ran) => {
      entry.ran = ran;
      this.#runs -= 1;
      this.#runNext();
      this.#noteIdle();
      return ran;
    });
  }

  #isIdle(): boolean {
    return !this.#isJudging && this.#runs === 0;
  }

  #noteIdle(): void {
    if (!this.#isIdle()) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}

const notMade = () => new PawlError('discarded', 'The call was not made after all.');

function isSame(early: EarlyCall, call: EarlyCall): boolean {
  if (early.tool !== call.tool) return false;
  // It mostly is the very object that the stream announced.
  return isSameJson(early.input, call.input);
}

function isJudgedSame(early: Judgement, judgement: Judgement): boolean {
  return early.basis === judgement.basis && isSameJson(early.paths, judgement.paths);
}
