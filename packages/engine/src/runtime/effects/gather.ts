import type { Fragment } from '@pawl/protocol';
import { messageOf, textOf } from '@pawl/protocol';
import { budgetOf, type Hydration, hydrationOf } from '../../context/hydrate.ts';
import { composePrompt } from '../../context/prompts/index.ts';
import type { State } from '../../core/index.ts';
import { isFullGathering } from '../../core/index.ts';
import type { SurroundingsQuery } from '../../ports.ts';
import { changedFiles } from './changed-files.ts';
import type { EffectContext, Runner } from './effect.ts';
import { inTime } from './in-time.ts';

/** How long gathering may take, ms; then the turn goes on without it. */
const maxMs = 10_000;

/**
 * Gathers the surroundings of the work. If something fails, the turn goes on with the earlier fragments, or with the
 * built-in ones where there are none, and a notice says so.
 */
export const runGather: Runner<'gather'> = async (effect, context) => {
  const { state, signal, report } = context;
  const turn = state.turn?.number ?? 0;
  const { agent } = state.settings;
  const query = { ...queryOf(state), ...toolsOf(context) };
  const [fragments, changed, hydrated] = await Promise.all([
    context.ports.gathersPrompt ? gatherAll(query, context) : null,
    changedInTime(context),
    hydrateAll(query, context),
  ]);
  if (signal.aborted) return;
  const data = {
    turn,
    agent,
    ...(fragments !== null && { fragments: [...fragments] }),
    ...(changed.length > 0 && { changedFiles: changed }),
    ...(hydrated.length > 0 && { hydrated }),
  };
  await report({ type: 'context.gathered', effect: effect.id, data });
};

/** Asks every source separately, so that one failure does not affect the others. */
async function hydrateAll(asked: Asked, context: EffectContext): Promise<Hydration[]> {
  const { ports, state, signal } = context;
  const { session, cwd, agent, metadata, task } = asked;
  const found = await Promise.all(
    ports.contextSources.map(async (source) => {
      const query = { session, cwd, agent, metadata, task, budgetTokens: budgetOf(state, source.region) };
      try {
        const entries = await inTime((limit) => source.find(query, limit), maxMs, context);
        return { source, entries: entries.map((entry) => ({ ...entry, text: ports.redactor.redact(entry.text) })) };
      } catch (thrown) {
        if (!signal.aborted) asked.notice(`What ${source.name} has to this is left out: ${messageOf(thrown)}`);
        return { source, entries: [] };
      }
    }),
  );
  return hydrationOf(state, found);
}

/** A disk that does not answer must not keep the turn waiting. */
function changedInTime(context: EffectContext): ReturnType<typeof changedFiles> {
  return inTime(() => changedFiles(context), maxMs, context).catch(() => []);
}

type LoggedQuery = Omit<SurroundingsQuery, 'role' | 'prompts' | 'now' | 'notice'>;

/** The part of the query that comes from the log; read at once, because the state changes later. */
function queryOf(state: Readonly<State>): LoggedQuery {
  const { cwd, agent, mode, isAttended, metadata } = state.settings;
  const input = state.messages.findLast((message) => message.role === 'user' && message.source === 'input');
  return {
    session: state.session,
    cwd,
    agent,
    mode,
    isAttended,
    metadata: { ...metadata },
    task: input?.role === 'user' ? textOf(input.content) : (state.task ?? ''),
    isFull: isFullGathering(state),
    fragments: state.fragments ?? [],
  };
}

function toolsOf({ ports, state, broadcast }: EffectContext): Pick<SurroundingsQuery, 'prompts' | 'now' | 'notice'> {
  return {
    prompts: ports.prompts?.of(state.settings.agent) ?? new Map(),
    now: ports.clock.now(),
    notice: (message) => broadcast({ type: 'notice', data: { level: 'warning', code: 'context_incomplete', message } }),
  };
}

type Asked = Omit<SurroundingsQuery, 'role'>;

async function gatherAll(asked: Asked, context: EffectContext): Promise<readonly Fragment[] | null> {
  const { ports, signal } = context;
  const work = async (limit: AbortSignal) => {
    const query: SurroundingsQuery = { ...asked, role: await roleOf(asked, context) };
    const gather = ports.surroundings?.gather ?? builtinFragments;
    return gather.call(ports.surroundings, query, limit);
  };
  try {
    return await inTime(work, maxMs, context);
  } catch (thrown) {
    if (signal.aborted) return null;
    asked.notice(`What surrounds the work could not be gathered, and is left out: ${messageOf(thrown)}`);
    return asked.isFull ? builtinFragments({ ...asked, role: null }) : null;
  }
}

/** The agent's part of the prompt. If it cannot be read any more, the earlier text stays. */
async function roleOf(asked: Asked, { ports }: EffectContext): Promise<SurroundingsQuery['role']> {
  try {
    const agent = (await ports.agents?.get(asked.agent, asked.cwd)) ?? null;
    if (agent !== null) return agent.prompt.trim() === '' ? null : { text: agent.prompt, source: agent.source };
  } catch (thrown) {
    asked.notice(`The prompt of the agent ${asked.agent} cannot be read: ${messageOf(thrown)}`);
  }
  const before = asked.isFull
    ? undefined
    : asked.fragments.find(({ region, name }) => region === 'system' && name === 'role');
  return before === undefined ? null : { text: before.text, source: before.source ?? null };
}

/** The built-in fragments, for a host without surroundings. */
async function builtinFragments(query: SurroundingsQuery): Promise<readonly Fragment[] | null> {
  const system = composePrompt({ ...query, platform: process.platform });
  const others = query.isFull ? [] : query.fragments.filter(({ region }) => region !== 'system');
  const fragments = [...system, ...others];
  return JSON.stringify(fragments) === JSON.stringify(query.fragments) ? null : fragments;
}
