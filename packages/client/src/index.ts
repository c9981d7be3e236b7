/** A `Client` of sessions that another process drives, and the server side of it. */
export type { Connection } from './connection.ts';
export { lineConnection, readLines } from './connection.ts';
export type { AnswerLine, Requests } from './lines.ts';
export type { RemoteClient } from './remote.ts';
export { remoteClient } from './remote.ts';
export type { ServeOptions } from './serve.ts';
export { serveClient } from './serve.ts';
