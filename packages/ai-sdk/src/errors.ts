import {
  describeFailure,
  fields,
  isWebPage,
  modelError,
  networkError,
  notAModel,
  number,
  providerError,
  responseError,
  string,
  unusableAddress,
} from '@pawl/models/wiring';
import { isPawlError, messageOf, PawlError } from '@pawl/protocol';

/** Names of the SDK's errors, without their common `AI_`. Source: https://ai-sdk.dev/docs/reference/ai-sdk-errors. */
const codes: { readonly [name: string]: readonly [code: string, advice: string] } = {
  LoadAPIKeyError: ['no_key', 'Set the key that the provider names.'],
  NoSuchModelError: ['not_found', 'Check the name of the model.'],
  UnsupportedFunctionalityError: ['bad_request', 'Use another model, or leave out what this one cannot do.'],
  InvalidPromptError: ['bad_request', 'Use another model for this conversation.'],
  InvalidArgumentError: ['bad_request', 'Check the parameters of the model.'],
  JSONParseError: ['bad_stream', 'Check that the base URL speaks what the provider expects.'],
  TypeValidationError: ['bad_stream', 'Check that the base URL speaks what the provider expects.'],
  InvalidResponseDataError: ['bad_stream', 'Check that the base URL speaks what the provider expects.'],
  EmptyResponseBodyError: ['stream_cut', 'Try again.'],
};

/** Whatever a model of the AI SDK throws or streams as its error, as one of Pawl's. */
export function readError(thrown: unknown, provider: string, now: number): PawlError {
  if (isPawlError(thrown)) return thrown;
  const error = fields(thrown);
  // `APICallError`, and errors in mid-stream that have its shape.
  const status = number(error.statusCode);
  if (status >= 300) return answerError(error, status, now);
  const host = hostOf(thrown) ?? provider;
  const page = string(error.responseBody);
  if (page !== '' && isWebPage(undefined, page)) return notAModel(host, page);
  const [code, advice] = codes[string(error.name).replace(/^AI_/, '')] ?? [];
  if (code !== undefined && advice !== undefined) {
    return modelError(code, `The AI SDK's ${provider} failed: ${sentence(thrown)} ${advice}`, {}, { cause: thrown });
  }
  const network = networkCause(thrown);
  if (network !== null) return networkError(network, host, { hasConnected: isBreak(network) });
  if (thrown instanceof Error) {
    const isTransient = error.isRetryable === true;
    return isTransient
      ? providerError({ status: 0, kind: string(error.type), message: thrown.message })
      : new PawlError('model_failed', `The AI SDK's ${provider} failed: ${sentence(thrown)}`, { cause: thrown });
  }
  // A provider's own words, passed on in mid-stream.
  if (typeof thrown === 'string') return providerError({ status: 0, kind: '', message: thrown });
  const kind = number(error.code ?? fields(error.error).code);
  return providerError({
    status: kind >= 300 && kind < 600 ? kind : 0,
    ...describeFailure(kindOutside(error)),
  });
}

function answerError(error: ReturnType<typeof fields>, status: number, now: number): PawlError {
  const body = string(error.responseBody);
  const headers = error.responseHeaders as { [name: string]: string } | undefined;
  const read = responseError(
    status,
    headers ?? {},
    body === '' ? JSON.stringify({ message: error.message }) : body,
    now,
  );
  read.cause = error;
  return read;
}

/** `{type, message}` is what some providers put into an error's place; the table reads `{error: {type, message}}`. */
function kindOutside(error: ReturnType<typeof fields>): unknown {
  return error.error === undefined ? { error } : error;
}

/** Whether the connection stood before it failed. */
function isBreak(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code) || /terminated/.test(error.message);
}

/** The failure of the connection at the bottom of an error, if that is what it is. */
function networkCause(thrown: unknown): Error | null {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    const code = 'code' in error ? String(error.code) : '';
    if (/^(E[A-Z]+|UND_ERR_\w+)$/.test(code) || unusableAddress(error, '') !== null) return error;
    if (error instanceof TypeError && /fetch failed|terminated/.test(error.message) && error.cause === undefined)
      return error;
  }
  return null;
}

/** Where the request went, which the SDK's errors of a call tell. */
function hostOf(thrown: unknown): string | null {
  return URL.parse(string(fields(thrown).url))?.hostname || null;
}

function sentence(thrown: unknown): string {
  const said = messageOf(thrown).trim();
  return /[.!?]$/.test(said) ? said : `${said}.`;
}
