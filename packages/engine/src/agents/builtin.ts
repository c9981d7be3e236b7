/** The agents that are always there. */
import type { Agent } from '../ports.ts';

const none = { deny: [], ask: [], allow: [] };

const builder: Agent = {
  name: 'builder',
  description: 'Does the work: reads, edits, runs, and says what it did.',
  mode: 'all',
  prompt: '',
  source: null,
  model: null,
  tools: ['*', '!propose_plan'],
  rules: none,
  permissionMode: null,
  delegates: null,
  colour: 'blue',
  steps: null,
};

const planner: Agent = {
  name: 'planner',
  description: 'Looks and thinks, changes nothing, and writes a plan for another agent to carry out.',
  mode: 'all',
  prompt: [
    'You plan, and do not carry out. Read what is there until you know what has to change and why.',
    'Where the task leaves open what matters, ask the person rather than guess.',
    'Then hand over the plan with propose_plan: the goal, what you found, the steps in their order with the files they touch, how each is checked, and what could go wrong. Write it for somebody who has not seen what you saw.',
    'When the person wants the plan changed, propose it again, whole.',
  ].join('\n'),
  source: null,
  model: null,
  tools: [
    'read',
    'list',
    'glob',
    'grep',
    'bash',
    'git_status',
    'git_diff',
    'git_log',
    'web_fetch',
    'web_search',
    'ask',
    'escalate',
    'history',
    'list_tools',
    'notes',
    'notify',
    'propose_plan',
    'recall',
    'stage',
    'todo',
  ],
  rules: none,
  permissionMode: 'plan',
  delegates: [],
  colour: 'green',
  steps: null,
};

export const builtinAgents: readonly Agent[] = [builder, planner];
