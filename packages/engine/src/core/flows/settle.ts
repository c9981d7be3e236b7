/** Flows: rules of the session that start a task when a turn or a task ends. */
import type { EventBody, Flow } from '@pawl/protocol';
import type { State } from '../state.ts';
import { depthOf, nextTask, taskSettingsOf } from '../tasks/tasks.ts';

/** Flows that may trigger one another before this is taken for a circle. */
const maxFlows = 5;

/** Requests the next task that a flow starts. */
export function settleFlows(state: State): EventBody[] {
  const ending = state.flowTriggers.find(({ depth }) => depth <= maxFlows);
  if (ending === undefined) return [];
  const { flow, from, result, depth } = ending;
  const below = depthOf(state) + 1;
  // A session that may not delegate starts no tasks by flows either.
  if (below > taskSettingsOf(state.settings).depth) return [];
  const { agent, prompt, scope } = flow.start;
  const hasPlace = prompt.includes(resultPlaceholder);
  const id = nextTask(state, agent);
  return [
    {
      type: 'task.requested',
      data: {
        task: id,
        session: `${state.session}.${id}`,
        agent,
        prompt: hasPlace ? prompt.replaceAll(resultPlaceholder, () => result) : prompt,
        ...(!hasPlace && { context: result }),
        ...(scope !== undefined && { scope }),
        isBackground: true,
        isJoined: state.turn !== null,
        key: `flow ${flow.name} ${from}`,
        depth: below,
        asked: {},
        flow: { name: flow.name, from, depth },
      },
    },
  ];
}

/** The place in a flow's prompt where the result is inserted. */
const resultPlaceholder = '{{result}}';

/** What is wrong with a flow, as a sentence; null if nothing is. */
export function flowProblem({ name, when, start }: Flow): string | null {
  const isName = (agent: string) => /^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(agent);
  if (!isName(when.agent) || !isName(start.agent)) {
    return `The flow "${name}" names an agent with other characters than letters, digits, "-" and "_".`;
  }
  return start.prompt.trim() === '' ? `The flow "${name}" starts ${start.agent} without a prompt.` : null;
}
