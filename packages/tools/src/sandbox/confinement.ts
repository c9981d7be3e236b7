/** What a command may do, in words that no particular sandbox knows. */
import type { Absent } from './home.ts';
import type { SandboxLimits } from './limits.ts';
import type { NetworkAccess } from './network/index.ts';

/** `workspace-write` lets commands change the session's folder and a temporary one; `read-only` only the temporary one. */
export type SandboxMode = 'workspace-write' | 'read-only' | 'off';

/** How commands are contained. */
export type SandboxOptions = {
  /** Default `workspace-write`. */
  mode: SandboxMode;
  /** What commands reach of the network: all (`on`), nothing, or the hosts of a list. Default `off`. */
  network: NetworkAccess;
  /** Folders and files that no command changes, although they may lie in the session's folder. Absolute. */
  protectedPaths: readonly string[];
  /** Folders and files that no command even reads, beside the usual places of keys. Absolute. */
  hiddenPaths: readonly string[];
  /** What commands see of the home, beside toolchains and caches. Absolute, or relative to the home. */
  shownOfHome: readonly string[];
  /** What a command may take of the machine. */
  limits: SandboxLimits;
};

/** Something on the disk that a sandbox mounts something on. `identity` tells whether it is still the same. */
export type Marked = { path: string; isFolder: boolean; identity: string };

export const identityOf = ({ dev, ino }: { dev: number; ino: number }) => `${dev}:${ino}`;

/** One command's share of the world. All paths are absolute and canonical. */
export type Confinement = {
  /** The session's folder. */
  folder: string;
  /** Whether the command may change it. */
  isFolderWritable: boolean;
  /** The only folders of it that the command may change, where not all of it. */
  writable?: readonly string[];
  /** Whether it is in this machine's network; else it has an empty one of its own. */
  hasNetwork: boolean;
  /** The port of this machine that it reaches although it has no network; where its network is empty, there is none. */
  proxyPort?: number | null;
  /** Whether the way to the network is let in, by a channel that the process is started with. */
  hasEntrance?: boolean;
  /** A folder on the host that the command sees as its temporary one. */
  temporary: string;
  /** A program of ours, and where it is seen. */
  lent?: { path: string; seenAt: string } | null;
  /** Homes that are not there, and what of them is. */
  absent?: readonly Absent[];
  /** Nothing of these is seen. */
  hidden: readonly Marked[];
  /** Folders that may be written into, but not moved or removed, because something guarded lies in them. */
  anchored: readonly string[];
  /** Not changed, moved or removed, although they lie in the folder. */
  guarded: readonly Marked[];
};
