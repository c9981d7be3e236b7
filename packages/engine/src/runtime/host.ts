/** The live sessions of one process, and the clients that use them. */
import { parseRule } from '@pawl/policy';
import type { Actor, Client, Command, Identity, OpenOptions, SessionView } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { agentsOf, findAgent } from '../agents/index.ts';
import { defaultPrompt } from '../context/prompt.ts';
import type { State } from '../core/index.ts';
import { initialState } from '../core/index.ts';
import type { Agent, BlobStore, Model, Redactor, SessionLog, SessionQuery, SessionSummary } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';
import { createRegistry } from '../registry/registry.ts';
import { createAttachments } from './attachments.ts';
import { createChildren } from './children.ts';
import { sessionClient } from './client.ts';
import { checkId, sessionCreated, withAgent } from './creation.ts';
import type { ApproverRoutes } from './effects/approvers.ts';
import type { EffectPorts } from './effects/effect.ts';
import { runners } from './effects/index.ts';
import { forkEvents, settledEvents } from './fork.ts';
import type { HostOptions } from './host-options.ts';
import { createId, systemClock } from './ids.ts';
import { keptEvents } from './kept.ts';
import { createMailDelivery } from './mail-delivery.ts';
import { readPlainFile } from './plain-file.ts';
import type { Prompts } from './prompts.ts';
import { createPrompts } from './prompts.ts';
import { recallFrom } from './recall.ts';
import { withoutSecretBlobs } from './secret-blobs.ts';
import type { SessionPorts } from './session.ts';
import { core, Session } from './session.ts';
import { viewOf } from './view.ts';

/** A client of its own (human, `local`), and the maker of others. */
export interface Host extends Client {
  client(identity: Identity): Client;
  /** Pieces of the system prompt, set at runtime. */
  readonly prompts: Prompts;
  list(query?: SessionQuery): Promise<SessionSummary[]>;
  /** Stops driving every session; what is open stays open in the log. Leaves the log itself open. */
  close(): Promise<void>;
}

type Live = { session: Session; released: Promise<void> };

export function createHost(options: HostOptions): Host {
  const { log, clock = systemClock } = options;
  const newId = options.createId ?? createId;
  const driver = newId();
  const live = new Map<string, Promise<Live>>();
  /** Sessions that clients use. */
  const held = new Set<string>();
  let isClosed = false;

  const modelFor = async (name: string): Promise<Model> => {
    if (name === options.model.id) return options.model;
    if (options.models === undefined) {
      throw new PawlError('unknown_model', `This session uses ${name}, and the host only has ${options.model.id}.`);
    }
    return options.models(name);
  };

  /** Failures are ignored: a session that is no longer driven here has nobody to tell. */
  const notify = (session: string, text: string) => {
    const by: Identity = { kind: 'agent', id: 'pawl' };
    const data = { content: [{ type: 'text' as const, text }] };
    live
      .get(session)
      ?.then((driven) => driven.session.command({ id: createId(), session, by, type: 'context.add', data }))
      .catch(() => undefined);
  };

  /** Stops driving a session that no client uses. */
  const letGo = (session: Session) => {
    if (!held.has(session.id)) session.close();
  };

  const { system = defaultPrompt } = options;
  const redactor = options.redactor ?? noSecrets;
  const blobs = withoutSecretBlobs(options.blobs ?? blobsOf(log), redactor);
  const agents = isList(options.agents) ? agentsOf(options.agents) : options.agents;
  const found = { agents, modelFor };
  const prompts = createPrompts();
  const gathersPrompt = options.system === undefined && (options.surroundings !== undefined || agents !== undefined);
  const contextSources = options.context ?? [];
  const gathersContext = gathersPrompt || contextSources.length > 0;
  const attachments = (options.internals?.attachments ?? createAttachments)(blobs);
  const effects: EffectPorts = {
    clock,
    blobs,
    attachments,
    tools: isRegistry(options.tools) ? options.tools : createRegistry(options.tools ?? []),
    modelFor,
    ruleLayers: options.rules ?? [],
    ...(options.approvers !== undefined && { approvers: checkedApprovers(options.approvers) }),
    system: typeof system === 'string' ? () => system : system,
    requestMiddleware: options.requestMiddleware ?? [],
    toolMiddleware: options.toolMiddleware ?? [],
    notify,
    redactor,
    mail: createMailDelivery(options.mail, { open: (id) => take(id, () => reopen(id)), letGo }),
    prompts,
    gathersPrompt,
    contextSources,
    ...(agents !== undefined && { agents }),
    ...(options.surroundings !== undefined && { surroundings: options.surroundings }),
    ...(options.memory !== undefined && { recall: recallFrom(options.memory) }),
    readFile: options.internals?.readFile ?? readPlainFile,
    ...(options.summaryPrompt !== undefined && { summaryPrompt: options.summaryPrompt }),
    readLog: (session) => log.read(session),
    session: async (id) => {
      const driven = await live.get(id)?.catch(() => undefined);
      return driven === undefined || driven.session.hasEnded ? null : driven.session;
    },
    children: createChildren({
      log,
      clock,
      isClosed: () => isClosed,
      create: (id, by, first) => take(id, () => Session.create(id, ports, by, first)),
      open: (id) => take(id, () => reopen(id)),
      letGo,
      async roleOf(name, cwd) {
        const agent = agents === undefined ? null : await findAgent(agents, name, cwd);
        if (agent?.mode === 'main') {
          throw new PawlError('unknown_agent', `The agent ${name} leads sessions and takes no tasks.`);
        }
        return { agent, model: agent?.model == null ? null : await modelFor(agent.model) };
      },
    }),
  };
  const ports: SessionPorts = {
    log,
    clock,
    effects,
    runners: { ...runners, ...options.internals?.runners },
    core: { ...core, ...options.internals?.core },
  };

  /** The state of the session that was viewed last; opening it next reads only newer events. */
  let looked: State | null = null;

  /** Adds to `state`, which the caller owns, what the log has beyond it. @throws `no_session`. */
  const readInto = async (state: State, id: string): Promise<State> => {
    for (const event of await log.read(id, state.seq)) ports.core.evolve(state, event);
    if (state.seq === 0) throw noSession(id);
    return state;
  };

  /** Always reads the whole log: another process may have deleted the session since, or made another one by this name. */
  const view = async (id: string): Promise<SessionView> => {
    const driven = await live.get(id);
    if (driven !== undefined && !driven.session.hasEnded) return driven.session.look(viewOf);
    looked = null;
    const state = await readInto(initialState(), id);
    looked = state;
    return viewOf(state);
  };

  /** Opens a session whose log is claimed. One that was deleted since it was viewed takes no event, so it is not opened. */
  const reopen = async (id: string, changes: readonly Command[] = []): Promise<Session> => {
    const state = looked?.session === id ? looked : initialState();
    looked = null;
    return Session.open(await readInto(state, id), ports, driver, changes);
  };

  /** Claims the session, then drives it; releases the claim however the driving ends. */
  const drive = (id: string, begin: () => Promise<Session>): Promise<Live> => {
    if (isClosed) throw new PawlError('host_closed', 'This host is closed.');
    const forget = () => {
      if (live.get(id) === started) live.delete(id);
    };
    const started: Promise<Live> = (async () => {
      const claim = await log.claim(id);
      try {
        const session = await begin();
        const released = session.ended.then(() => {
          forget();
          return claim.release();
        });
        // Closing the host reports a claim that could not be released; nobody else waits for it.
        released.catch(() => undefined);
        return { session, released };
      } catch (error) {
        await claim.release();
        throw error;
      }
    })();
    live.set(id, started);
    started.catch(forget);
    return started;
  };

  /** The session, driven here already or from now on. */
  const take = async (id: string, begin: () => Promise<Session>): Promise<Session> => {
    const before = await live.get(id);
    if (before?.session.hasEnded === true) await before.released;
    return (await (live.get(id) ?? drive(id, begin))).session;
  };

  const openingCommands = async (session: string, by: Identity, changes: OpenOptions): Promise<Command[]> => {
    const { configure, rules = [] } = changes;
    const added = rules.map((data): Command => ({ id: createId(), session, by, type: 'rule.add', data }));
    if (configure === undefined) return added;
    const data = await withAgent(configure, async () => (await view(session)).cwd, found);
    return [{ id: createId(), session, by, type: 'session.configure', data }, ...added];
  };

  const client = (given: Identity): Client => {
    // A copy that nobody can change: whoever holds the client also holds its `identity`.
    const identity = Object.freeze({ ...given });
    const hold = ({ session }: Live) => {
      held.add(session.id);
      return sessionClient(session, identity, (changes) =>
        withAgent(changes, () => session.look(({ settings }) => settings.cwd), found),
      );
    };
    const actor: Actor = { ...identity };
    return {
      identity,
      attach: (bytes, { name } = {}) => attachments.attach(bytes, name),
      async create(given) {
        const id = checkId(given.id ?? newId());
        const first = await sessionCreated(given, { ...options, ...found, gathersContext, by: identity });
        if (live.has(id)) throw new PawlError('conflict', `There is a session ${id} already. Open it instead.`);
        return hold(await drive(id, () => Session.create(id, ports, actor, [first])));
      },
      async open(id, changes = {}) {
        const commands = await openingCommands(id, identity, changes);
        const before = await live.get(id);
        if (before?.session.hasEnded === true) await before.released;
        const running = live.get(id);
        // Nothing may await between this and the claim, so that other callers find the session live.
        if (running === undefined) return hold(await drive(id, () => reopen(id, commands)));
        const held = await running;
        for (const command of commands) await held.session.command(command);
        return hold(held);
      },
      view,
      read: (id, afterSeq) => log.read(id, afterSeq),
      async *watch(id, afterSeq = 0, signal = new AbortController().signal) {
        await existing(log, id);
        for await (const events of log.watch(id, afterSeq, signal)) yield* events;
      },
      async fork(source, { beforeMessage, id = newId() } = {}) {
        const session = checkId(id);
        const events = await existing(log, source);
        const target = { session, at: clock.now(), by: actor, ...(beforeMessage !== undefined && { beforeMessage }) };
        const { events: copied, draft } = forkEvents(events, target);
        await log.append(session, 0, keptEvents([...copied, ...settledEvents(copied, clock.now())], redactor));
        return { session, draft };
      },
      async delete(id) {
        await existing(log, id);
        const driven = await live.get(id);
        driven?.session.close();
        await driven?.released;
        if (looked?.session === id) looked = null;
        await log.delete(id);
      },
    };
  };

  return {
    ...client({ kind: 'human', id: 'local' }),
    client,
    prompts,
    list: (query) => log.list(query),
    async close() {
      isClosed = true;
      const all = await Promise.allSettled(live.values());
      const driven = all.flatMap((settled) => (settled.status === 'fulfilled' ? [settled.value] : []));
      for (const { session } of driven) session.close();
      await Promise.all(driven.map(({ released }) => released));
    },
  };
}

/** @throws `bad_rule`; `no_group` for a route to a group that there is not, where nobody could ever answer. */
function checkedApprovers(approvers: ApproverRoutes): ApproverRoutes {
  for (const { rule, group } of approvers.routes) {
    parseRule(rule);
    if ((approvers.groups[group] ?? []).length > 0) continue;
    throw new PawlError('no_group', `Approvals of ${rule} go to the group "${group}", in which there is nobody.`);
  }
  return approvers;
}

const noSecrets: Redactor = {
  redact: (text) => text,
  stream: () => ({ push: (piece) => piece, end: () => '' }),
};

async function existing(log: SessionLog, id: string) {
  const events = await log.read(id);
  if (events.length === 0) throw noSession(id);
  return events;
}

const noSession = (id: string) =>
  new PawlError('no_session', `There is no session ${id}. List them with: pawl sessions list`);

function isList(agents: HostOptions['agents']): agents is readonly Agent[] {
  return Array.isArray(agents);
}

function isRegistry(tools: HostOptions['tools']): tools is Registry {
  return tools !== undefined && !Array.isArray(tools);
}

function blobsOf(log: SessionLog & Partial<BlobStore>): BlobStore {
  const { put, get } = log;
  if (put === undefined || get === undefined) {
    throw new PawlError('no_blobs', 'This log keeps no large bodies. Give createHost a `blobs` store beside it.');
  }
  return { put: put.bind(log), get: get.bind(log) };
}
