/**
 * How a gateway gets into a sandbox that has a network of its own, in which nothing of this machine can be reached:
 * before the command begins, a Node in the sandbox listens on its loopback and hands the listening socket over to us, on
 * a channel that is closed before the command begins. So nothing of ours runs on beside the command, no file or port of
 * the machine leads here, and nobody but the command can knock.
 */
import type { ChildProcess } from 'node:child_process';
import { Server } from 'node:net';
import { matchesUrl } from '@pawl/policy';
import type { HostList } from './access.ts';
import type { Gateway } from './gateway.ts';

/** The channel's number in the sandbox: the fifth of the descriptors that a process is started with. */
const channelDescriptor = 4;

/** Below those that the system gives to who asks for any: https://www.kernel.org/doc/html/latest/networking/ip-sysctl.html. */
const port = 17_127;

const listen = `const server = require('node:net').createServer().listen(${port}, '127.0.0.1', 511, () =>
  process.send('entrance', server, () => process.exit()));`;

const open = `NODE_OPTIONS= NODE_EXTRA_CA_CERTS= NODE_USE_ENV_PROXY= "$1" -e "$2" ||
  echo 'The way to the network could not be opened: the Node that Pawl runs on does not run in the sandbox.' >&2
exec ${channelDescriptor}>&-
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE
shift 2
exec "$@"`;

/** What stands between the sandbox's words and those of the command. */
export const entranceWords = (): string[] => ['/bin/bash', '-c', open, 'bash', process.execPath, listen];

/** Lets a gateway serve the command that a process leads to. */
export function takeEntrance(child: ChildProcess, gateway: Gateway): void {
  child.channel?.unref();
  child.once('message', (_, entrance) => {
    if (entrance instanceof Server) gateway.serve(entrance);
    if (child.connected) child.disconnect();
  });
}

type Environment = Readonly<Record<string, string | undefined>>;

const ownNames = ['localhost', '127.0.0.1', '::1'];

/**
 * Variables that lead programs through the gateway. What a command serves itself, for itself, it reaches without: so do
 * the names of its own loopback, unless the list means this machine's by them.
 */
export function proxyVariables({ hosts, within }: HostList, environment: Environment): Record<string, string> {
  const listed = [...(hosts === 'any' ? [] : hosts), ...(within ?? [])];
  const own = ownNames.filter((name) => !listed.some((pattern) => isAbout(pattern, name)));
  const proxy = `http://127.0.0.1:${port}`;
  const exempt = own.join(',');
  return {
    ...Object.fromEntries(
      ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [
        [name, proxy],
        [name.toUpperCase(), proxy],
      ]),
    ),
    no_proxy: exempt,
    NO_PROXY: exempt,
    // Node's own requests look at the others only then: https://nodejs.org/api/cli.html#node_use_env_proxy1.
    NODE_USE_ENV_PROXY: '1',
    // These would be taken from the files of programs that have such.
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: exempt,
    PIP_PROXY: proxy,
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    ...gitSetting('http.proxy', proxy, Number(environment.GIT_CONFIG_COUNT) || 0),
  };
}

/** Counts more than files of settings: https://git-scm.com/docs/git-config#ENVIRONMENT. Stands behind those that are there. */
const gitSetting = (name: string, value: string, count: number): Record<string, string> => ({
  GIT_CONFIG_COUNT: `${count + 1}`,
  [`GIT_CONFIG_KEY_${count}`]: name,
  [`GIT_CONFIG_VALUE_${count}`]: value,
});

/** Whether a pattern covers a host on some port: these variables know hosts alone. */
function isAbout(pattern: string, host: string): boolean {
  const [, port = '80'] = /:([0-9]+)$/.exec(pattern) ?? [];
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
  return matchesUrl(pattern, url, { isProhibition: true });
}
