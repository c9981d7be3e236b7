import type { State } from '../core/index.ts';
import { composePrompt, promptText } from './prompts/index.ts';

/** The default system prompt: what the agent is, where it works, and how. */
export function defaultPrompt({ settings }: Readonly<State>): string {
  const { cwd, agent } = settings;
  // What can change in the middle of a turn is not said, so that the cached prefix never does.
  const query = { cwd, agent, mode: 'manual' as const, isAttended: true, role: null, prompts: new Map(), platform: '' };
  return promptText(composePrompt(query));
}
