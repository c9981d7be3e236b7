/** Which hosts commands reach, and the way there. */
export { type HostList, hostsText, type NetworkAccess, reachesAnyHost } from './access.ts';
export { entranceWords, proxyVariables, takeEntrance } from './entrance.ts';
export type { Gateway } from './gateway.ts';
