/** What a task's session is told: how it begins, and the commands of its owner. */
import type { Assignment, Command, CommandData, EventBody, EventData } from '@pawl/protocol';
import type { Letter, State, Task } from '../core/index.ts';
import { ownerId } from '../core/index.ts';

/** What the agent of a task settles for its session, in place of what its owner has. */
export type AgentSettings = Partial<Omit<EventData['session.created'], 'assignment' | 'limits'>>;

/**
 * How the session of a task begins. Everything that limits its owner limits it too, by the rules and the mode that hold
 * as it begins; what changes later is sent after it.
 */
export function childCreation(owner: Readonly<State>, task: Task, ofAgent: AgentSettings): EventBody {
  const { settings, assignment } = owner;
  const { cwd, model, modelInfo, mode, isAttended, rules, limits, metadata, tasks } = settings;
  const scopes = [...(assignment?.scopes ?? []), ...(task.scope === undefined ? [] : [task.scope])];
  const own: Assignment = {
    parent: owner.session,
    task: task.id,
    depth: task.depth,
    ...(task.tools !== undefined && { tools: task.tools }),
    ...(task.outputSchema !== undefined && { outputSchema: task.outputSchema }),
    scopes,
    keys: [...(assignment?.keys ?? []), task.key],
  };
  const { steps = limits.steps } = task.allotment ?? {};
  return {
    type: 'session.created',
    data: {
      cwd,
      model,
      modelInfo,
      agent: task.agent,
      mode,
      isAttended,
      rules: { deny: [...rules.deny], ask: [...rules.ask], allow: [...rules.allow] },
      // What it may spend in all stands in its allotment.
      limits: { ...limits, steps, durationMs: null, tokens: null, usd: null, sessionTokens: null, sessionUsd: null },
      metadata: { ...metadata },
      assignment: own,
      ...(tasks !== undefined && { tasks: { ...tasks } }),
      ...ofAgent,
    },
  };
}

type TaskOrder = { [Type in 'task.assign' | 'task.stop']: { type: Type; data: CommandData[Type] } }[
  | 'task.assign'
  | 'task.stop'];

/** A command of the owner to the task's session. */
export function taskCommand(owner: string, session: string, id: string, { type, data }: TaskOrder): Command {
  // A command is a pair of type and data; TypeScript cannot see that these two belong together.
  return { id, session, by: { kind: 'agent', id: ownerId(owner) }, type, data } as Command;
}

/** A letter as the command that it is to its receiver. */
export function commandOf(session: string, { id, by, body }: Letter): Command {
  const kind = by.kind === 'human' ? 'human' : 'agent';
  const { type } = body;
  const data =
    type === 'input.send'
      ? { content: [{ type: 'text' as const, text: body.data.text }], delivery: body.data.delivery }
      : body.data;
  return { id, session, by: { kind, id: by.id }, type, data } as Command;
}
