/** Sessions of another process of the same user, over a socket that only they can reach. */
export type { LocalConnection } from './connect.ts';
export { connectLocally } from './connect.ts';
export { listenLocally } from './listen.ts';
export { actingFor, callVariable } from './origin.ts';
export { fallbackFolder, runtimeFolder, socketPaths } from './place.ts';
