/** Whether a list of hosts holds: found out by asking for one that is on it, and for ones that are not. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@pawl/protocol';
import { builtinTools, hostsText, type NetworkAccess } from '@pawl/tools';
import { type Finding, failed, ok } from './finding.ts';
import { toolContext } from './place.ts';

/** Speaks HTTP by hand: a machine need not have a program for it. Nothing has the port 9, which is for throwing away. */
const trial = (port: number) => `
key=\${http_proxy#http://}
key=$(printf %s "\${key%@*}" | base64)
ask() {
  exec 3<>"/dev/tcp/127.0.0.1/\${http_proxy##*:}" || return
  printf '%s HTTP/1.1\\r\\nHost: pawl\\r\\nProxy-Authorization: Basic %s\\r\\nConnection: close\\r\\n\\r\\n' "$1" "$key" >&3
  cat <&3
}
ask 'GET http://127.0.0.1:${port}/' | grep -q '^reached' || echo 'a host of the list is not reached'
ask 'CONNECT 127.0.0.1:9' | grep -q '^HTTP/1.1 403 ' || echo 'a host that is not on the list is not refused'
(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo 'this machine is reached past the list'
echo end
`;

/** Says which hosts commands reach, and whether only those; nothing where there is no list. */
export async function checkNetwork(network: NetworkAccess): Promise<Finding[]> {
  if (typeof network === 'string') return [];
  const server = createServer((_, response) => response.end('reached\n'));
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'pawl-doctor-')));
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    const sandbox = { network: { hosts: [`127.0.0.1:${port}`], within: null } };
    const bash = builtinTools({ notice: () => undefined, sandbox, environment: { PATH: process.env.PATH } }).find(
      ({ name }) => name === 'bash',
    );
    const { content = '' } = (await bash?.run({ command: trial(port) }, toolContext(folder))) ?? {};
    const lines = content.split('\n');
    const [problem] = lines.includes('end') ? lines.slice(0, lines.indexOf('end')) : [lines[0]];
    return problem === undefined ? [ok('network', `commands reach only ${hostsText(network)}`)] : [notHolding(problem)];
  } catch (error) {
    return [notHolding(messageOf(error))];
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const notHolding = (problem: string) =>
  failed('network', `the list of hosts does not hold: ${problem}`, 'Set sandboxNetwork to off, and tell us of this.');
