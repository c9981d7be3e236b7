import { PawlError } from './errors.ts';
import type { DurableEvent, EventType } from './types.ts';

/** Version of the wire as a whole: the envelope, the commands and what they mean. */
export const protocolVersion = 1;

/**
 * The current shape of each event type's data. Old logs are read for ever: who changes a shape raises
 * its number here and adds to `upgrades` how the old one becomes the new.
 */
export const eventVersions: Record<EventType, number> = {
  'session.created': 1,
  'session.opened': 1,
  'session.forked': 1,
  'session.configured': 1,
  'session.paused': 1,
  'session.resumed': 1,
  'rule.added': 1,
  'rule.removed': 1,
  'stage.declared': 1,
  'todo.updated': 1,
  'note.set': 1,
  'tools.offered': 1,
  'files.reverted': 1,
  'input.queued': 1,
  'input.edited': 1,
  'input.removed': 1,
  'turn.started': 1,
  'context.gathered': 1,
  'plan.written': 1,
  'plan.accepted': 1,
  'step.started': 1,
  'message.added': 2,
  'model.failed': 1,
  'result.checked': 1,
  'loop.changed': 1,
  'loop.verified': 1,
  'history.repaired': 1,
  'context.trimmed': 1,
  'context.removed': 1,
  'compaction.started': 1,
  'compaction.summarised': 1,
  'compaction.failed': 1,
  'compaction.cancelled': 1,
  'context.compacted': 1,
  'tool.judged': 1,
  'tool.deferred': 1,
  'tool.outdated': 1,
  'approval.requested': 1,
  'approval.resolved': 1,
  'question.asked': 1,
  'question.answered': 1,
  'tool.started': 1,
  'tool.finished': 1,
  'mail.sent': 1,
  'mail.delayed': 1,
  'mail.delivered': 1,
  'mail.failed': 1,
  'mail.received': 1,
  'mail.acknowledged': 1,
  'task.requested': 1,
  'task.joined': 1,
  'task.started': 1,
  'task.changed': 1,
  'task.sent': 1,
  'task.delivered': 1,
  'task.reopened': 1,
  'task.cancelled': 1,
  'task.ended': 1,
  'task.assigned': 1,
  'task.nudged': 1,
  'task.finished': 1,
  'timer.fired': 1,
  'cancel.requested': 1,
  'review.requested': 1,
  'review.resolved': 1,
  'turn.ended': 1,
};

type StoredEvent = { seq: number; type: string; version?: number; data: unknown };

/** `upgrades[type][n]` turns data of version n into version n + 1. */
const upgrades: Partial<Record<EventType, Record<number, (data: unknown) => unknown>>> = {
  // What is kept of it and which calls are refused was worked out by whoever read it.
  'message.added': { 1: (data) => Object.assign({}, data, { isUndecided: true }) },
};

/**
 * A stored event in today's shape. A missing version is 1.
 * @throws `log_too_new` for a type or version that this release does not know.
 */
export function upgradeEvent(stored: StoredEvent): DurableEvent {
  const known = Object.hasOwn(eventVersions, stored.type) ? eventVersions[stored.type as EventType] : undefined;
  let version = stored.version ?? 1;
  if (known === undefined || version > known) {
    throw new PawlError(
      'log_too_new',
      `Event ${stored.seq} is "${stored.type}" version ${version}, which a newer Pawl wrote. Nothing was changed. Update Pawl to open this session.`,
    );
  }
  if (version === known) return stored as DurableEvent;
  let data = stored.data;
  for (; version < known; version++) {
    const upgrade = upgrades[stored.type as EventType]?.[version];
    if (upgrade === undefined) throw new Error(`No upgrade for ${stored.type} version ${version}.`);
    data = upgrade(data);
  }
  return { ...stored, version: known, data } as DurableEvent;
}
