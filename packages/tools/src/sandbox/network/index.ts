/** Which hosts commands reach, and the way there. */
export { type HostList, hostsText, type NetworkAccess, reachesAnyHost } from './access.ts';
export { takeEntrance } from './entrance.ts';
export type { Gateway } from './gateway.ts';
export type { Environment } from './variables.ts';
export type { Way } from './way.ts';
