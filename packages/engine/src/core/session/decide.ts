/** Who may pause a session and change its settings. */
import { isWidening, modeAfter } from '../agents/profile.ts';
import { compactionRefusal } from '../compaction/decide.ts';
import type { Decision, FingerprintedCommand } from '../decision.ts';
import { accept, refuse } from '../decision.ts';
import type { State } from '../state.ts';
import { configureTask, isOwner } from '../tasks/decide.ts';
import { limitsRefusal } from './limits.ts';
import { mergeDefined } from './state.ts';

type SessionCommand = Extract<FingerprintedCommand, { type: `session.${string}` }>;

export function decideSession(state: State, command: SessionCommand): Decision {
  switch (command.type) {
    case 'session.pause':
      return state.isPaused
        ? refuse('already_paused', 'The session is paused already.')
        : accept({ type: 'session.paused', data: {} });
    case 'session.resume':
      return state.isPaused || state.isHeld
        ? accept({ type: 'session.resumed', data: {} })
        : refuse('not_paused', 'The session is not paused.');
    case 'session.rename':
      return onlyByPersons(command) ?? accept({ type: 'session.renamed', data: { title: command.data.title } });
    case 'session.archive':
      return (
        onlyByPersons(command) ??
        (state.isArchived
          ? refuse('already_archived', 'The session is archived already.')
          : accept({ type: 'session.archived', data: {} }))
      );
    case 'session.unarchive':
      return (
        onlyByPersons(command) ??
        (state.isArchived
          ? accept({ type: 'session.unarchived', data: {} })
          : refuse('not_archived', 'The session is not archived.'))
      );
    case 'session.configure':
      return configure(state, command);
    default:
      return command satisfies never;
  }
}

const onlyByPersons = ({ by }: SessionCommand): Decision | null =>
  by.kind === 'human' ? null : refuse('human_only', 'Only a person can change how sessions are listed.');

function configure(state: State, command: SessionCommand & { type: 'session.configure' }): Decision {
  const { settings } = state;
  const { mode, isAttended, limits: changed, model, modelInfo } = command.data;
  if (isOwner(state, command)) return configureTask(state, command.data);
  if (command.by.kind !== 'human' && [mode, isAttended, changed].some((change) => change !== undefined)) {
    return refuse('human_only', 'Only a person can change the mode, the limits, or who is there to be asked.');
  }
  if (command.by.kind !== 'human' && isWidening(settings, command.data)) {
    return refuse('human_only', `Only a person can switch to ${command.data.agent}, which may do more.`);
  }
  if (model !== undefined && modelInfo === undefined) {
    return refuse('bad_command', 'A change of the model needs its modelInfo: limits, and whether its price is known.');
  }
  const limits = mergeDefined(settings.limits, command.data.limits ?? {});
  const isPriceKnown = modelInfo?.isPriceKnown ?? settings.modelInfo.isPriceKnown;
  const next = modeAfter(settings, command.data);
  return (
    limitsRefusal(limits, isPriceKnown) ??
    compactionRefusal(command.data.compaction) ??
    accept({ type: 'session.configured', data: { ...command.data, ...(next !== undefined && { mode: next }) } })
  );
}
