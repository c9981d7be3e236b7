import type { SandboxLimits } from './limits.ts';
import type { Gateway, NetworkAccess } from './network/index.ts';

/** How one command is started so that it is contained. */
export type Launch = {
  /** What stands in front of the command's own words. */
  words: readonly string[];
  /** Variables that are different inside. */
  environment: Readonly<Record<string, string>>;
  /** Whether it tells on descriptor 3, as JSON, which process leads inside, and whether the command has begun. */
  hasInfo: boolean;
  isFolderWritable: boolean;
  /** Whether it holds all that it should, as the folder is now; only then is it what `holdOf` calls whole. */
  isWhole: boolean;
  network: NetworkAccess;
  /** The way to the hosts of a list; null where there is none. */
  gateway: Gateway | null;
  /** Path of the filter of system calls that it reads on a descriptor of its own; null for none. */
  filter: string | null;
  limits: SandboxLimits;
  /** Whether the folder's history is not seen, because it holds what a rule denies. */
  hidesHistory: boolean;
  /** Whether the process hands over, on descriptor 4, where the gateway is let in (`takeEntrance`). */
  hasEntrance: boolean;
  /** Aborts when the command is to be ended at once, because it goes against the sandbox. */
  breach: AbortSignal;
  /** To be called when the command has ended. Says in sentences what had to be set right, or gives null. */
  release(): Promise<string | null>;
};
