/** For whom a new session works, as the flags say. */
import type { CreateOptions } from '@pawl/protocol';
import { usageError } from '../usage-error.ts';

export type Origin = Required<Pick<CreateOptions, 'origin' | 'metadata'>>;

type OriginFlags = {
  user?: string;
  channel?: string;
  workflow?: string;
  meta?: string[];
  resume?: string;
  continue?: true;
};

/** @throws `usage`. */
export function readOrigin(flags: OriginFlags): Origin {
  const { user, channel, workflow, meta = [] } = flags;
  const given = [user, channel, workflow, ...meta].some((value) => value !== undefined);
  if (given && (flags.resume !== undefined || flags.continue === true)) {
    throw usageError('--user, --channel, --workflow and --meta are of a new session; one that exists keeps its own.');
  }
  for (const [flag, value] of Object.entries({ '--user': user, '--channel': channel })) {
    if (value?.trim() === '') throw usageError(`${flag}: the name is empty.`);
  }
  return {
    origin: {
      ...(user !== undefined && { user }),
      ...(channel !== undefined && { channel }),
      ...(workflow !== undefined && { workflow: workflowOf(workflow) }),
    },
    metadata: Object.fromEntries(meta.map(pairOf)),
  };
}

function workflowOf(text: string): { slug: string; step: string } {
  const [, slug, step] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  if (slug !== undefined && step !== undefined) return { slug, step };
  throw usageError(`--workflow: "${text}" is not slug/step, such as release/test.`);
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usageError(`--meta: "${text}" is not key=value.`);
}
