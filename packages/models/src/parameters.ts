import type { JsonObject } from '@pawl/protocol';

/**
 * How a model is to think and speak, where it should not do so as its provider's default has it. A variant is a named
 * set of these. Each wire sends what its API has; what it has not is passed over.
 */
export type Parameters = {
  /** How much it thinks, in the provider's own words; usually `minimal`, `low`, `medium` or `high`. */
  effort?: string;
  /** Tokens it may think, where the API counts them; 0 turns thinking off. */
  thinkingBudgetTokens?: number;
  temperature?: number;
  topP?: number;
  /** Texts that end the answer. */
  stopSequences?: readonly string[];
  /** How long it answers, where the API has it: `low`, `medium` or `high`. */
  verbosity?: string;
  /** Further fields of the request's body, as the API names them; they win over Pawl's own. */
  body?: JsonObject;
};
