/** How the session of a task is created, and the commands that its owner sends to it. */

import type { Assignment, Command, CommandData, EventBody, RuleSet } from '@pawl/protocol';
import { stricterMode } from '@pawl/protocol';
import { profileOf } from '../agents/index.ts';
import type { ChildCommand, State, Task } from '../core/index.ts';
import { modeWith, ownerId } from '../core/index.ts';
import type { Agent, Model } from '../ports.ts';

/** The agent that takes a task, if the host knows it, and the agent's own model, if it has one. */
export type Role = { agent: Agent | null; model: Model | null };

const noRules: RuleSet = { deny: [], ask: [], allow: [] };

/**
 * The first event of a task's session. Everything that limits the owner limits it too, by the owner's present rules and
 * mode; later changes are sent to it as commands.
 */
export function childCreation(owner: Readonly<State>, task: Task, { agent, model: own }: Role): EventBody {
  const { settings, assignment } = owner;
  const { cwd, mode, isAttended, limits, metadata, tasks, origin, gathersContext, compaction } = settings;
  const profile = agent === null ? null : profileOf(agent);
  const rules = [settings.rules, settings.profile?.rules ?? noRules];
  const scopes = [...(assignment?.scopes ?? []), ...(task.scope === undefined ? [] : [task.scope])];
  const assigned: Assignment = {
    parent: owner.session,
    task: task.id,
    depth: task.depth,
    ...(task.tools !== undefined && { tools: task.tools }),
    ...(task.outputSchema !== undefined && { outputSchema: task.outputSchema }),
    scopes,
    keys: [...(assignment?.keys ?? []), task.key],
  };
  const { steps: given = limits.steps } = task.allotment ?? {};
  const steps = agent?.steps == null ? given : Math.min(given, agent.steps);
  return {
    type: 'session.created',
    data: {
      cwd,
      model: own?.id ?? settings.model,
      modelInfo: own?.info ?? settings.modelInfo,
      agent: task.agent,
      mode: stricterMode(modeWith(profile, mode) ?? mode, mode),
      isAttended,
      rules: {
        deny: rules.flatMap(({ deny }) => deny),
        ask: rules.flatMap(({ ask }) => ask),
        // Allow rules of the owner's agent do not hold for another agent.
        allow: [...settings.rules.allow],
      },
      // The allotment limits what it may spend in all.
      limits: { ...limits, steps, durationMs: null, tokens: null, usd: null, sessionTokens: null, sessionUsd: null },
      metadata: { ...metadata },
      assignment: assigned,
      compaction: { ...compaction },
      ...(profile !== null && { profile }),
      ...(origin !== undefined && { origin }),
      ...(gathersContext === true && { gathersContext }),
      ...(tasks !== undefined && { tasks: { ...tasks } }),
    },
  };
}

type OwnerCommand = { [Type in 'task.assign' | 'task.stop']: { type: Type; data: CommandData[Type] } }[
  | 'task.assign'
  | 'task.stop'];

/** A command of the owner to the task's session. */
export function taskCommand(owner: string, session: string, id: string, { type, data }: OwnerCommand): Command {
  // A command is a pair of type and data; TypeScript cannot see that these two belong together.
  return { id, session, by: { kind: 'agent', id: ownerId(owner) }, type, data } as Command;
}

/** The command that the task's session receives. */
export function commandOf(session: string, { id, by, body }: ChildCommand): Command {
  const kind = by.kind === 'human' ? 'human' : 'agent';
  const { type } = body;
  const data =
    type === 'input.send'
      ? { content: [{ type: 'text' as const, text: body.data.text }], delivery: body.data.delivery }
      : body.data;
  return { id, session, by: { kind, id: by.id }, type, data } as Command;
}
