/**
 * How a gateway gets into a sandbox that has a network of its own, in which nothing of this machine can be reached:
 * before the command begins, a Node in the sandbox listens on its loopback and hands the listening socket over to us, on
 * a channel that is closed before the command begins. So nothing of ours runs on beside the command, no file or port of
 * the machine leads here, and nobody but the command can knock.
 */
import type { ChildProcess } from 'node:child_process';
import { Server } from 'node:net';
import { homedir } from 'node:os';
import { isInside } from '@pawl/policy';
import type { Gateway } from './gateway.ts';

/** The channel's number in the sandbox: the fifth of the descriptors that a process is started with. */
const channelDescriptor = 4;

/** Below those that the system gives to who asks for any: https://www.kernel.org/doc/html/latest/networking/ip-sysctl.html. */
const port = 17_127;

const listen = `const server = require('node:net').createServer().listen(${port}, '127.0.0.1', 511, () =>
  process.send('entrance', server, () => process.exit()));`;

/** Node is given no more than its channel: some variables make it load or write files, which a command could put there. */
const open = `/usr/bin/env -i NODE_CHANNEL_FD="$NODE_CHANNEL_FD" \\
  NODE_CHANNEL_SERIALIZATION_MODE="$NODE_CHANNEL_SERIALIZATION_MODE" "$1" -e "$2" ||
  echo 'The way to the network could not be opened: the Node that Pawl runs on does not run in the sandbox.' >&2
exec ${channelDescriptor}>&-
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE
shift 2
exec "$@"`;

/** How the command finds the way. */
export const entranceProxy = `http://127.0.0.1:${port}`;

/** The Node that Pawl runs on, where a sandbox has folders of its own in the place of those that hold it. */
export const lentNode = (path: string): { path: string; seenAt: string } | null =>
  ['/tmp', '/run', homedir()].some((folder) => isInside(folder, path)) ? { path, seenAt: '/run/pawl-node' } : null;

/**
 * What stands between the sandbox's words and those of the command. With `-p` no file or function of anybody's
 * (BASH_ENV) gets at the channel.
 */
export const entranceWords = (node: string): string[] => ['/bin/bash', '-p', '-c', open, 'bash', node, listen];

/** Lets a gateway serve the command that a process leads to. */
export function takeEntrance(child: ChildProcess, gateway: Gateway): void {
  child.channel?.unref();
  child.once('message', (_, entrance) => {
    if (entrance instanceof Server) gateway.serve(entrance);
    if (child.connected) child.disconnect();
  });
}
