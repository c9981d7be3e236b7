import type { EventData } from '@pawl/protocol';
import type { ResultCheck, ToolDeclarations } from '../../core/index.ts';

/** What becomes of a call, without its id. */
export type Ending = Omit<EventData['tool.finished'], 'call'>;

/** How a run ended; or what was judged was no longer so, and nothing was touched. */
export type Ran = Ended | { outdated: string };

/** `checked`: what it gives was held against what was asked for. */
export type Ended = { ending: Ending; declared?: ToolDeclarations; checked?: ResultCheck };
