import type { Call } from '../../core/index.ts';
import type { ToolScope } from '../../ports.ts';
import type { EffectContext } from './effect.ts';
import { taskScope } from './task-scope.ts';

/** What every function of a tool may use, for this call. */
export function toolScope(
  { ports, state, signal }: Pick<EffectContext, 'ports' | 'state' | 'signal'>,
  call: Pick<Call, 'id'>,
): ToolScope {
  return {
    session: state.session,
    cwd: state.settings.cwd,
    call: call.id,
    signal,
    blobs: ports.blobs,
    lastSeen: (path) => state.files.get(path) ?? null,
    notes: state.notes,
    tools: ports.tools.specs(),
    tasks: taskScope({ ports, state, signal }, call),
    ...(state.assignment !== null && { writeScopes: state.assignment.scopes }),
    mode: state.settings.mode,
    notify: (text) => ports.notify(state.session, text),
  };
}
