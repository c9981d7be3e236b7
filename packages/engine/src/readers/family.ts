/** The logs of a session and of its tasks as one story, each event in the turn of the session that it is part of. */
import type { DurableEvent } from '@pawl/protocol';

/** Logs by session. */
export type TaskLogs = ReadonlyMap<string, readonly DurableEvent[]>;

/** `turn` counts the turns of the session at the top: a task is part of the turn that asked for it. */
export type Told = { event: DurableEvent; turn: number };

/** Sessions of the tasks that a log asks for, each once. */
export function tasksIn(events: readonly DurableEvent[]): string[] {
  return [...new Set(events.flatMap(({ type, data }) => (type === 'task.requested' ? [data.session] : [])))];
}

/** In the order of time; at the same moment an owner comes before its tasks. What others had the tasks do is left out. */
export function storyOf(events: readonly DurableEvent[], tasks: TaskLogs): Told[] {
  const tellings = tellingsOf(events, tasks, null);
  if (tellings.length === 1) return tellings[0] ?? [];
  return tellings
    .flatMap((telling) => {
      // A clock that was put back does not change the order within a log.
      let at = 0;
      return telling.map((told) => {
        at = Math.max(at, told.event.at);
        return { told, at };
      });
    })
    .sort((one, other) => one.at - other.at)
    .map(({ told }) => told);
}

/** Of a session and all below it, one each. `turnOf` gives the turn of each time that its owner gave it work. */
function tellingsOf(
  events: readonly DurableEvent[],
  tasks: TaskLogs,
  turnOf: ((instance: number) => number | undefined) | null,
): Told[][] {
  const own: Told[] = [];
  const asked = new Map<string, { session: string; turns: Map<number, number> }>();
  let turn: number | undefined = turnOf === null ? 0 : undefined;
  for (const event of events) {
    const { type, data } = event;
    if (type === 'turn.started' && turnOf === null) turn = data.turn;
    else if (type === 'task.assigned' && turnOf !== null) turn = turnOf(data.instance);
    if (turn === undefined) continue;
    if (type === 'task.requested') asked.set(data.task, { session: data.session, turns: new Map([[1, turn]]) });
    else if (type === 'task.reopened') asked.get(data.task)?.turns.set(data.instance, turn);
    own.push({ event, turn });
  }
  const below = [...asked.values()].flatMap(({ session, turns }) => {
    const log = tasks.get(session);
    return log === undefined ? [] : tellingsOf(log, tasks, (instance) => turns.get(instance));
  });
  return [own, ...below];
}
