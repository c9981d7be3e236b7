/** Rules that start work when work ends: a pure reading of the session's settings and of what has just ended. */
import type { EventBody, Flow } from '@pawl/protocol';
import type { State } from '../state.ts';
import { depthOf, nextTask, taskSettingsOf } from '../tasks/tasks.ts';

/** Flows that may lead from one to another before they are taken for a circle. */
const maxFlows = 5;

/** Tasks for the ends that a rule is about, each once. */
export function settleFlows(state: State): EventBody[] {
  const ending = state.flowTriggers.find(({ depth }) => depth <= maxFlows);
  if (ending === undefined) return [];
  const { flow, from, result, depth } = ending;
  const below = depthOf(state) + 1;
  // Where nothing can be delegated, nothing follows.
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

/** Stands in a rule's prompt for what was given. */
const resultPlaceholder = '{{result}}';

/** What is wrong with a rule, as a sentence; null if nothing is. */
export function flowProblem({ name, when, start }: Flow): string | null {
  const isName = (agent: string) => /^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(agent);
  if (!isName(when.agent) || !isName(start.agent)) {
    return `The flow "${name}" names an agent with other characters than letters, digits, "-" and "_".`;
  }
  return start.prompt.trim() === '' ? `The flow "${name}" starts ${start.agent} without a prompt.` : null;
}
