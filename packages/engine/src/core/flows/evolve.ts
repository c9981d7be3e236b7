/** Ends of work that rules of the session are about, until what they start has been asked for. */
import type { EventData, Flow, TaskOutcome } from '@pawl/protocol';
import type { State } from '../state.ts';
import type { Task } from '../tasks/tasks.ts';

export type Ending = {
  flow: Flow;
  /** `turn:3`, `task:builder-1:2`. */
  from: string;
  result: string;
  /** How many flows led to what it starts, with this one. */
  depth: number;
};

/** Flows that may lead from one to another before they are taken for a circle. */
const mostFlows = 5;

export function noteTurnEnd(state: State, data: EventData['turn.ended']): void {
  if (state.settings.flows === undefined) return;
  const last = state.messages.findLast((message) => message.role === 'assistant');
  const said = last?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('') ?? '';
  const result = said.trim() === '' ? data.message : said;
  const outcome = outcomeOfTurn[data.outcome] ?? 'failed';
  note(state, { agent: state.settings.agent, outcome, from: `turn:${data.turn}`, result, depth: 1 });
}

const outcomeOfTurn: Partial<Record<EventData['turn.ended']['outcome'], TaskOutcome>> = {
  completed: 'completed',
  cancelled: 'cancelled',
  blocked: 'blocked',
};

export function noteTaskEnd(state: State, task: Task): void {
  const { id, instance, agent, outcome, envelope, message } = task;
  if (outcome === null) return;
  const result = envelope?.summary ?? message ?? '';
  note(state, { agent, outcome, from: `task:${id}:${instance}`, result, depth: (task.flow?.depth ?? 0) + 1 });
}

function note(
  state: State,
  { agent, outcome, ...rest }: Omit<Ending, 'flow'> & { agent: string; outcome: TaskOutcome },
) {
  if (rest.depth > mostFlows) return;
  const matching = (state.settings.flows ?? []).filter(({ when }) => when.agent === agent && when.outcome === outcome);
  state.endings.push(...matching.map((flow) => ({ flow, ...rest })));
}

/** What a rule asked for has been asked for. */
export function takeEnding(state: State, { name, from }: NonNullable<Task['flow']>): void {
  state.endings = state.endings.filter((ending) => ending.flow.name !== name || ending.from !== from);
}
