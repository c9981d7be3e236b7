/** Tools for mail between the sessions of one tree; only for hosts that say who may write to whom. */
import type { Tool } from '@pawl/engine';
import { mailListTool } from './list.ts';
import { mailSendTool } from './send.ts';

export function mailTools(): Tool[] {
  return [mailListTool(), mailSendTool()];
}
