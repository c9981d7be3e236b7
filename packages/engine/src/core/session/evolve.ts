/** The settings of a session, and whether it is paused. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import { switchAgent } from '../agents/switch.ts';
import type { State } from '../state.ts';
import { mergeDefined } from './state.ts';

export function evolveSession(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'session.created': {
      const { compaction, assignment: _, ...settings } = structuredClone(event.data);
      state.createdAt = event.at;
      state.settings = { ...settings, compaction: compaction ?? state.settings.compaction };
      break;
    }
    case 'session.forked':
      state.createdAt = event.at;
      state.isPaused = false;
      state.isArchived = false;
      break;
    case 'session.configured':
      configure(state, event.data);
      break;
    case 'session.paused':
      state.isPaused = true;
      break;
    case 'session.resumed':
      state.isPaused = false;
      break;
    case 'session.archived':
      state.isArchived = true;
      break;
    case 'session.unarchived':
      state.isArchived = false;
      break;
    case 'rule.added':
      state.settings.rules[event.data.list].push(event.data.rule);
      break;
    case 'rule.removed': {
      const { list, rule } = event.data;
      state.settings.rules[list] = state.settings.rules[list].filter((other) => other !== rule);
      break;
    }
  }
}

function configure({ settings }: State, data: EventData['session.configured']): void {
  const { limits, model, modelInfo, mode, isAttended, compaction } = data;
  if (model !== undefined) settings.model = model;
  if (modelInfo !== undefined) settings.modelInfo = modelInfo;
  switchAgent(settings, data);
  if (mode !== undefined) settings.mode = mode;
  if (isAttended !== undefined) settings.isAttended = isAttended;
  if (limits !== undefined) settings.limits = mergeDefined(settings.limits, limits);
  if (compaction !== undefined) settings.compaction = mergeDefined(settings.compaction, compaction);
}
