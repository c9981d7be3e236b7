import type { Wire } from './answers.ts';

/** What a runner saw of one run, checked against the script. */
export type Tally = {
  /** Text deltas that reached the place where a user's program would read them. */
  deltas: number;
  /** Times that the tool ran. */
  toolRuns: number;
  /** The text of the last answer. */
  finalText: string;
};

/** Counts a run; given to a runner by who measures. */
export type Tallying = {
  delta(text: string): void;
  /** The tool's whole work: gives its text back, in some experiments after a while. */
  echo(text: string): string | Promise<string>;
};

/** One whole run in a session of its own, from the prompt to the last answer. Rejects when anything fails. */
export type Run = (tallying: Tallying) => Promise<void>;

/** Where a runner finds its world. */
export type Surroundings = {
  /** The model server, up to `/v1`. */
  baseUrl: string;
  /** An empty folder of its own, removed afterwards. */
  folder: string;
  /** Steps of the longest run, for limits that must be raised. */
  steps: number;
};

/** What is measured. The module is imported, prepared and warmed up before the clock starts. */
export type Runner = {
  /** What it is, for the table: the package and the parts used. */
  label: string;
  wire: Wire;
  prepare(surroundings: Surroundings): Promise<Run> | Run;
  /** Only where sessions outlive their process. */
  resume?: {
    /** Leaves a finished session of at least `events` events in the folder. */
    fill(surroundings: Surroundings, events: number): Promise<{ session: string; events: number }>;
    /** Opens it again; resolves as soon as a prompt can be sent, with what sends one. */
    open(surroundings: Surroundings, session: string): Promise<() => Promise<void>>;
  };
};

/** The prompt of every run. */
export const prompt = 'Call echo until you are done.';
export const systemPrompt = 'You are a benchmark.';
