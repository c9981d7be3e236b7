import { homedir } from 'node:os';
import { barredIn, pathDenies, type RuleLayer } from '@pawl/policy';
import { toolsFor } from '../../context/audience.ts';
import type { Call, State } from '../../core/index.ts';
import { mailProblem, originOf } from '../../core/index.ts';
import type { ToolMailbox, ToolScope } from '../../ports.ts';
import type { MailDelivery } from '../mail-delivery.ts';
import type { EffectContext } from './effect.ts';
import { taskScope } from './task-scope.ts';

/** The scope that every function of a tool gets, for this call. */
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
    barredIn: (folder) =>
      barredIn(folder, { layers: layersOf({ ports, state }), cwd: state.settings.cwd, home: homedir() }),
    denies: () => pathDenies(layersOf({ ports, state })),
    notes: state.notes,
    tools: toolsFor(ports.tools, state, state.settings.profile).specs(),
    agent: state.settings.agent,
    tasks: taskScope({ ports, state, signal }, call),
    ...(state.assignment !== null && { writeScopes: state.assignment.scopes }),
    mode: state.settings.mode,
    ...originOf(state.settings),
    mailbox: mailboxOf(state, ports.mail),
    history: () => ports.readLog(state.session),
    notify: (text) => ports.notify(state.session, text),
  };
}

/** All rules that hold in a session. */
export function layersOf({ ports, state }: Pick<EffectContext, 'ports' | 'state'>): RuleLayer[] {
  const { profile, rules } = state.settings;
  const ofAgent = profile == null ? [] : [{ name: `agent ${profile.name}`, rules: profile.rules }];
  return [...ports.ruleLayers, ...ofAgent, { name: 'session', rules }];
}

function mailboxOf(state: Readonly<State>, post: MailDelivery): ToolMailbox {
  const { session, mail } = state;
  return {
    owner: post.ownerOf(session),
    inbox: shownMails(mail.inbox),
    outbox: mail.outbox,
    async problem(letter) {
      const problem = mailProblem(state, letter);
      if (problem !== null || (await post.mayWrite(session, letter.to))) return problem;
      return `You cannot write to ${letter.to}: only sessions that work on the same task write to each other.`;
    },
  };
}

/** Acknowledged mails that are still shown: the latest. */
const maxShown = 100;

function shownMails(inbox: State['mail']['inbox']): State['mail']['inbox'] {
  const hidden = new Set(inbox.filter(({ isAcknowledged }) => isAcknowledged).slice(0, -maxShown));
  return hidden.size === 0 ? inbox : inbox.filter((mail) => !hidden.has(mail));
}
