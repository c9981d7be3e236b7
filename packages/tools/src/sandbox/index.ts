/** The sandbox that commands run in. */
export type { SandboxMode, SandboxOptions } from './confinement.ts';
export {
  type HostList,
  hostsText,
  type NetworkAccess,
  reachesAnyHost,
  takeEntrance,
} from './network/index.ts';
export { type Probe, probeSandbox } from './probe.ts';
export { createSandbox, type Launch, type Sandbox } from './sandbox.ts';
