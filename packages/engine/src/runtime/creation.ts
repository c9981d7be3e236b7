/** The first event of a session, and the details of another agent or model that a session switches to. */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { parseRule } from '@pawl/policy';
import type { CommandInput, CreateOptions, EventBody, Identity, SessionClient } from '@pawl/protocol';
import { isWiderMode, PawlError } from '@pawl/protocol';
import { findAgent, profileOf } from '../agents/index.ts';
import { compactionRefusal } from '../core/compaction/decide.ts';
import { defaultCompaction, defaultLimits, flowProblem, limitsRefusal, modeWith } from '../core/index.ts';
import { mergeDefined } from '../core/session/state.ts';
import type { Agent, Agents, Model } from '../ports.ts';
import type { HostOptions } from './host-options.ts';

const defaultAgent = 'builder';

/** Where agents and models come from. */
export type AgentSources = { agents: Agents | undefined; modelFor(name: string): Promise<Model> };

type Creator = AgentSources &
  Pick<HostOptions, 'model' | 'tasks' | 'flows'> & { by: Identity; gathersContext: boolean };

/** The first event of a session. @throws what is wrong with the options; `human_only` where `by` may not ask for them. */
export async function sessionCreated(given: CreateOptions, creator: Creator): Promise<EventBody> {
  const { agents, modelFor, by } = creator;
  const cwd = canonicalFolder(given.cwd);
  const agent = agents === undefined ? null : await findAgent(agents, given.agent ?? defaultAgent, cwd);
  if (by.kind === 'agent') refuseWidening(given, agent);
  const named = given.model ?? agent?.model ?? null;
  const model = named === null ? creator.model : await modelFor(named);
  return createdEvent({ ...given, cwd }, model, agent, creator);
}

/** `cwd` is canonical. */
function createdEvent(
  given: CreateOptions,
  model: Model,
  agent: Agent | null,
  { gathersContext, tasks, flows }: Pick<Creator, 'gathersContext' | 'tasks' | 'flows'>,
): EventBody {
  const problem = flows?.map(flowProblem).find((sentence) => sentence !== null);
  if (problem != null) throw new PawlError('bad_flow', problem);
  const own = agent?.steps == null ? {} : { steps: agent.steps };
  const limits = mergeDefined(mergeDefined(defaultLimits, own), given.limits ?? {});
  const profile = agent === null ? null : profileOf(agent);
  const mode = modeWith(profile, given.mode) ?? 'manual';
  const refusal = limitsRefusal(limits, model.info.isPriceKnown);
  if (refusal !== null) throw new PawlError(refusal.code, refusal.message);
  const bad = compactionRefusal(given.compaction);
  if (bad !== null) throw new PawlError(bad.code, bad.message);
  const rules = { deny: [], ask: [], allow: [], ...given.rules };
  for (const rule of [...rules.deny, ...rules.ask, ...rules.allow]) parseRule(rule);
  return {
    type: 'session.created',
    data: {
      cwd: given.cwd,
      model: model.id,
      modelInfo: model.info,
      agent: given.agent ?? defaultAgent,
      mode,
      isAttended: given.isAttended ?? false,
      rules,
      limits,
      metadata: given.metadata ?? {},
      ...(given.origin !== undefined && { origin: given.origin }),
      ...(profile !== null && { profile }),
      ...(profile?.mode !== undefined && { modeOfSession: given.mode ?? 'manual' }),
      ...(gathersContext && { gathersContext }),
      compaction: mergeDefined(defaultCompaction, given.compaction ?? {}),
      ...(tasks !== undefined && Object.keys(tasks).length > 0 && { tasks }),
      ...(flows !== undefined && flows.length > 0 && { flows: [...flows] }),
    },
  };
}

/** Only a person may create a session that needs fewer approvals. */
function refuseWidening(given: CreateOptions, agent: Agent | null): void {
  // The agent's mode may be stricter than the given one, which then holds for the next agent.
  const modes = [given.mode, agent?.permissionMode];
  const allowed = [...(given.rules?.allow ?? []), ...(agent?.rules.allow ?? [])];
  if (!modes.some(isWiderMode) && allowed.length === 0) return;
  throw new PawlError('human_only', 'Only a person can create a session that allows calls without asking.');
}

type Changes = Parameters<SessionClient['configure']>[0];

/** Adds the profile of another agent, and its model where the change names none. */
export async function withAgent(
  changes: Changes,
  cwdOf: () => Promise<string>,
  { agents, modelFor }: AgentSources,
): Promise<CommandInput['session.configure']> {
  const agent =
    changes.agent === undefined || agents === undefined ? null : await findAgent(agents, changes.agent, await cwdOf());
  const given = agent?.model == null ? changes : { model: agent.model, ...changes };
  const switched = { ...given, ...(agent !== null && { profile: profileOf(agent) }) };
  if (switched.model === undefined || 'modelInfo' in switched) return switched;
  const { id, info } = await modelFor(switched.model);
  return { ...switched, model: changes.model ?? id, modelInfo: info };
}

/** Rules compare canonical paths, so the folder they start from is one. A folder that is not there yet stays as named. */
function canonicalFolder(cwd: string): string {
  if (!isAbsolute(cwd)) {
    throw new PawlError('bad_folder', `"${cwd}" is not an absolute path. Give the session's folder from the root on.`);
  }
  return existsSync(cwd) ? realpathSync.native(cwd) : cwd;
}

/** @throws `bad_session_id`. */
export function checkId(id: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  throw new PawlError('bad_session_id', `"${id}" cannot name a session: use up to 64 letters, digits, "-" and "_".`);
}
