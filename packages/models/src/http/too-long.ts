/** How providers say that a conversation is too long for their model. */

/** Their words for the window, for the prompt, for tokens. Each stands in a case of `http.test.ts`, with who says it. */
const wordings = new RegExp(
  [
    'context[ _]length|context window|exceeds? (the (available )?)?context|maximum (prompt|context)',
    '(prompt|input)( \\(\\d+ tokens\\))? is too long|prompt exceeds max length|range of input length|reduce the length',
    'too many (input )?tokens|exceeds the maximum number of tokens|exceeded model token limit',
    'inputs` tokens \\+ `max_new_tokens` must be|inputs` must have less than \\d+ tokens',
    'longer than the maximum model length|exceeds the maximum (allowed |input )?length|exceeds maximum input length',
    'input tokens? exceed|exceeds maximum length|exceed max message tokens',
    'token count of \\d+ exceeds the limit|input token count is \\d+ but model only supports',
    'should not exceed max_num_tokens',
  ].join('|'),
  'i',
);

/** One request alone asks for more tokens than the account may use in a minute: it is refused however long one waits. */
const largerThanAMinute = /request too large for .*\btokens per min/is;

const kinds = /context_length_exceeded|model_max_prompt_tokens_exceeded/i;

/** Statuses of requests that the server read and refused; vLLM behind a proxy says 500. 0: said in mid-stream. */
const statuses: ReadonlySet<number> = new Set([0, 400, 413, 422, 500]);

/** Whether a provider says that the conversation is too long: `status`, its word for the kind, and its sentence. */
export function isTooLong(status: number, kind: string, message: string): boolean {
  if (largerThanAMinute.test(message) || kinds.test(kind)) return true;
  return statuses.has(status) && !/rate_limit/i.test(kind) && wordings.test(message);
}
