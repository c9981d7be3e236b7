/** One thing that is tried very often. */
export type SoakPart = {
  name: string;
  /** In one line. */
  what: string;
  /** How often it is tried unless somebody says otherwise. */
  times: number;
  /** A sentence for each try that failed, with the seed that shows it again. */
  run(options: SoakOptions): Promise<readonly string[]>;
};

export type SoakOptions = {
  times: number;
  /** The first try has this seed, the next one the next. */
  seed: number;
  /** Says how far it is. */
  note(line: string): void;
};
