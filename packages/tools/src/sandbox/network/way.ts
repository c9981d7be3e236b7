/** The way of one contained command to the hosts of a list. */
import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import type { HostList } from './access.ts';
import { entranceProxy, entranceWords, lentNode } from './entrance.ts';
import { type Gateway, openGateway } from './gateway.ts';
import { type Environment, proxyVariables } from './variables.ts';

export type Way = {
  gateway: Gateway;
  /** Variables that lead through it. */
  variables: Readonly<Record<string, string>>;
  /** What has to stand in front of the command, to let the gateway in. */
  words: readonly string[];
  /** What has to be seen in the sandbox for that. */
  lent: { path: string; seenAt: string } | null;
  /** The port of this machine that leads to it; null where it is let in. */
  port: number | null;
};

/** For a sandbox that has a network of its own. */
export function openEntrance(list: HostList, environment: Environment, node: string = process.execPath): Way {
  const lent = lentNode(node);
  return {
    gateway: openGateway({ list, environment }),
    variables: proxyVariables(entranceProxy, list, environment),
    words: entranceWords(lent?.seenAt ?? node),
    lent,
    port: null,
  };
}

/** For one that is in this machine's network: others are too, so a secret says who it is. */
export async function openPort(list: HostList, environment: Environment): Promise<Way> {
  const credentials = `pawl:${randomBytes(24).toString('base64url')}`;
  const gateway = openGateway({ list, environment, credentials });
  const entrance = createServer();
  await new Promise<void>((resolve, reject) => {
    entrance.once('error', reject);
    entrance.listen(0, '127.0.0.1', resolve);
  });
  const { port } = entrance.address() as AddressInfo;
  gateway.serve(entrance);
  const variables = proxyVariables(`http://${credentials}@127.0.0.1:${port}`, list, environment);
  return { gateway, variables, words: [], lent: null, port };
}
