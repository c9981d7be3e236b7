/** The settings at the head of an agent's file. */
import { bounds, permissionModes } from '@pawl/protocol';
import * as z from 'zod/mini';
import { group, list, oneOf, setting, text, textLike, wholeNumber } from '../config/schema/kinds.ts';
import { colours } from './colours.ts';

export const agentSettings = group({
  description: text,
  mode: z.exactOptional(oneOf(['main', 'task', 'all'])),
  model: z.exactOptional(text),
  tools: setting(
    'Names of tools.',
    list(
      textLike(
        /^!?[A-Za-z_*][A-Za-z0-9_*-]*$/,
        'must be the name of a tool, with * for any characters and ! before what is left out',
      ),
    ),
  ),
  rules: z.exactOptional(
    group({ deny: z.exactOptional(list(text)), ask: z.exactOptional(list(text)), allow: z.exactOptional(list(text)) }),
  ),
  'permission-mode': z.exactOptional(oneOf(permissionModes)),
  delegates: z.exactOptional(list(text)),
  colour: z.exactOptional(
    textLike(
      new RegExp(`^(?:${colours.join('|')}|#[0-9A-Fa-f]{6})$`),
      `must be one of ${colours.join(', ')}, or #rrggbb`,
    ),
  ),
  steps: z.exactOptional(wholeNumber({ from: 1, to: bounds.maxSteps })),
});

export type AgentSettings = z.output<typeof agentSettings>;
