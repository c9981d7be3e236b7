export type Pin = {
  /** Number of the event that it comes from. */
  seq: number;
  text: string;
  /** It says how to work, or what was wrong. */
  isCorrection: boolean;
};

/** Words of persons that a compaction keeps verbatim. */
export type PinsState = { pins: Pin[] };

export const initialPins = (): PinsState => ({ pins: [] });
