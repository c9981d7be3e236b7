/** The sandbox that commands run in. */
export type { SandboxMode, SandboxOptions } from './confinement.ts';
export { removeDebris } from './debris.ts';
export { ownHomes, shownOfHome } from './home.ts';
export { homeListDate } from './home-list.ts';
export type { Launch } from './launch.ts';
export { defaultLimits, limitNotes, limitWords, type SandboxLimits } from './limits.ts';
export {
  type HostList,
  hostsText,
  type NetworkAccess,
  reachesAnyHost,
  takeEntrance,
} from './network/index.ts';
export { noteOwnWrite } from './own-writes.ts';
export { type Probe, probeSandbox } from './probe.ts';
export { createSandbox, mostSetups, type Sandbox } from './sandbox.ts';
