import type { MediaType } from './kinds.ts';

/** A file as it can be sent to a model. */
export type PreparedFile = {
  mediaType: MediaType;
  bytes: Uint8Array;
  /** For people and models: `image, 1568 × 1045 px, shrunk from 6000 × 4000 px and 9.1 MB`. */
  summary: string;
  /** Whether `bytes` are others than were given. */
  isShrunk: boolean;
  /** What it takes up of the images and pages that a request may hold. */
  sheets: number;
};
