import type { JsonObject } from '@pawl/protocol';
import type { ToolOptions } from '../options.ts';
import { hostsText, type NetworkAccess, type Sandbox } from '../sandbox/index.ts';
import { objectSchema } from '../tool.ts';

export type BashInput = { command: string; timeoutMs?: number; background?: boolean; outside?: boolean };

export function bashInput(options: ToolOptions, { options: { mode } }: Sandbox): JsonObject {
  return objectSchema(
    {
      command: { type: 'string', minLength: 1 },
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: options.maxCommandTimeoutMs,
        description: 'Another time limit',
      },
      background: {
        type: 'boolean',
        description: 'For servers and long work: returns an id at once; see process',
      },
      ...(mode !== 'off' && {
        outside: { type: 'boolean', description: 'Out of the sandbox, where it cannot work inside; a person is asked' },
      }),
    },
    ['command'],
  );
}

/** The same however the machine is, so that a prompt's prefix stays the same. */
export function descriptionOf(options: ToolOptions, { options: { mode, network } }: Sandbox): string {
  const seconds = Math.round(options.commandTimeoutMs / 1000);
  const writes = mode === 'read-only' ? '/tmp' : 'the working folder and /tmp';
  const sandbox = mode === 'off' ? '' : ` Where there is a sandbox, only ${writes} can be written${reachOf(network)}.`;
  return `Runs a bash command in the working folder and returns its output and exit code. Each call is a fresh shell with no terminal and no input. Time limit ${seconds} s.${sandbox}`;
}

function reachOf(network: NetworkAccess): string {
  if (network === 'on') return '';
  if (network === 'off') return ' and there is no network';
  return `, and over HTTP and HTTPS only these hosts are reached: ${hostsText(network)}`;
}
