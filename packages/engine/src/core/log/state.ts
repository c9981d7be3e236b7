/** Where the log is, and which commands are in it. */
export type LogState = {
  session: string;
  /** Sequence number of the last event. */
  seq: number;
  /** Time of the last event, Unix ms: the only clock the core knows. */
  now: number;
  /** Commands accepted so far: their fingerprint and the last event each caused. */
  commands: Map<string, { digest: string; seq: number }>;
};

export const initialLog = (): LogState => ({ session: '', seq: 0, now: 0, commands: new Map() });
