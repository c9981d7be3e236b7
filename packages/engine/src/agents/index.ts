/** Agents: those that are built in, and how a session gets what one may. */
export { builtinAgents } from './builtin.ts';
export { agentsOf, findAgent, profileOf } from './profile.ts';
