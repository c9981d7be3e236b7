import type { EventData } from '@pawl/protocol';
import type { ResultCheck, ToolDeclarations } from '../../core/index.ts';

/** The data of `tool.finished`, without the id of the call. */
export type Ending = Omit<EventData['tool.finished'], 'call'>;

/** How a run ended; or `outdated`, if the judgement no longer held and nothing was touched. */
export type Ran = Ended | { outdated: string };

/** `checked` is set where the result was checked against a schema. */
export type Ended = { ending: Ending; declared?: ToolDeclarations; checked?: ResultCheck };
