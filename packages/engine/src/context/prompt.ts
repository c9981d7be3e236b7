import type { State } from '../core/index.ts';
import { composePrompt, promptText } from './prompts/index.ts';

/** The default system prompt: what the agent is, where it works, and how. */
export function defaultPrompt({ settings }: Readonly<State>): string {
  const { cwd, agent } = settings;
  // Nothing in it changes within a turn, so that the cached prefix stays valid.
  const query = { cwd, agent, mode: 'manual' as const, isAttended: true, role: null, prompts: new Map(), platform: '' };
  return promptText(composePrompt(query));
}
