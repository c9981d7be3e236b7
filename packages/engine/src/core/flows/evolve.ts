/** Ends of turns and tasks that a flow of the session reacts to, until its task has been requested. */
import type { DurableEvent, EventData, TaskOutcome } from '@pawl/protocol';
import type { State } from '../state.ts';
import { findTask } from '../tasks/tasks.ts';
import type { FlowTrigger } from './state.ts';

export function evolveFlows(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'session.forked':
      state.flowTriggers = [];
      break;
    case 'turn.ended':
      addTurnEnd(state, event.data);
      break;
    case 'task.ended':
      addTaskEnd(state, event.data);
      break;
    case 'task.requested': {
      const { flow } = event.data;
      if (flow === undefined) break;
      state.flowTriggers = state.flowTriggers.filter(
        (ending) => ending.flow.name !== flow.name || ending.from !== flow.from,
      );
      break;
    }
  }
}

function addTurnEnd(state: State, data: EventData['turn.ended']): void {
  if (state.settings.flows === undefined) return;
  const last = state.messages.findLast((message) => message.role === 'assistant');
  const said = last?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('') ?? '';
  const result = said.trim() === '' ? data.message : said;
  const outcome = outcomeOfTurn[data.outcome] ?? 'failed';
  addTriggers(state, { agent: state.settings.agent, outcome, from: `turn:${data.turn}`, result, depth: 1 });
}

const outcomeOfTurn: Partial<Record<EventData['turn.ended']['outcome'], TaskOutcome>> = {
  completed: 'completed',
  cancelled: 'cancelled',
  blocked: 'blocked',
};

function addTaskEnd(state: State, { task: id, outcome, envelope, message }: EventData['task.ended']): void {
  const task = findTask(state, id);
  if (task === undefined) return;
  const result = envelope?.summary ?? message;
  const depth = (task.flow?.depth ?? 0) + 1;
  addTriggers(state, { agent: task.agent, outcome, from: `task:${id}:${task.instance}`, result, depth });
}

function addTriggers(
  state: State,
  { agent, outcome, ...rest }: Omit<FlowTrigger, 'flow'> & { agent: string; outcome: TaskOutcome },
): void {
  const matching = (state.settings.flows ?? []).filter(({ when }) => when.agent === agent && when.outcome === outcome);
  state.flowTriggers.push(...matching.map((flow) => ({ flow, ...rest })));
}
