/**
 * Node's own HTTP modules, loaded with the first request. Not by `import 'node:http'`: that builds a namespace of
 * all it exports, and some of those getters load fetch and WebSocket, which takes some 45 ms where this takes 6.
 */
export const nodeHttp = () => process.getBuiltinModule('node:http');
export const nodeHttps = () => process.getBuiltinModule('node:https');
export const nodeTls = () => process.getBuiltinModule('node:tls');
