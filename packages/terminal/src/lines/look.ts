/** How the transcript is shown. */
import type { Style } from '../text/style.ts';

export type Look = {
  style: Style;
  columns: number;
  /** Unix milliseconds, for what is going on. */
  now: number;
  /** Shows all of it: thinking, whole outputs, whole diffs. */
  isUnfolded: boolean;
};
