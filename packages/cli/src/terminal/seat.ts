/** Where a person sits in front of a conversation, for as long as the parts of a run stay open. */
import type { Home } from '@pawl/terminal';

export type Seat = {
  /** Until the person leaves. */
  sit(home: Home): Promise<void>;
};
