/** What leads programs through a proxy. */
import { matchesUrl } from '@pawl/policy';
import type { HostList } from './access.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const ownNames = ['localhost', '127.0.0.1', '::1'];

/**
 * Variables that lead programs through the gateway. What a command serves itself, for itself, it reaches without: so do
 * the names of its own loopback, unless the list means this machine's by them.
 */
export function proxyVariables(
  proxy: string,
  { hosts, within }: HostList,
  environment: Environment,
): Record<string, string> {
  const listed = [...(hosts === 'any' ? [] : hosts), ...(within ?? [])];
  const own = ownNames.filter((name) => !listed.some((pattern) => isAbout(pattern, name)));
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
