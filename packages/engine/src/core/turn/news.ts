import type { UserMessage } from '@pawl/protocol';

/** Whether the agent has something new to answer to: what was sent to it, or the end of a task. */
export const isNews = ({ source, task }: UserMessage): boolean => source === 'input' || task !== undefined;
