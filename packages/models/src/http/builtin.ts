/**
 * Node's own HTTP, loaded when the first request is made. Not by `import 'node:http'`: that builds a namespace of
 * all it exports, and some of those getters load fetch and WebSocket, which takes some 45 ms where this takes 6.
 */
export const nodeHttp = () => process.getBuiltinModule('node:http');
export const nodeHttps = () => process.getBuiltinModule('node:https');
export const nodeTls = () => process.getBuiltinModule('node:tls');
