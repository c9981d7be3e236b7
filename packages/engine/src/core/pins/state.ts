import type { Pin } from './pins.ts';

/** What persons said that a compaction must keep word for word. */
export type PinsState = { pins: Pin[] };

export const initialPins = (): PinsState => ({ pins: [] });
