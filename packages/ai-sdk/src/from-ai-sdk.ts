import type { Model, ModelEvent, ModelRequest } from '@pawl/engine';
import {
  createPricing,
  defaultTimeouts,
  fields,
  isWebPage,
  list,
  modelError,
  notAModel,
  type Parameters,
  type SilenceLimit,
  silenceLimit,
  string,
  type Timeouts,
} from '@pawl/models/wiring';
import { PawlError } from '@pawl/protocol';
import { readError } from './errors.ts';
import { createOptions, unstored } from './prompt.ts';
import { withoutKeys } from './secrets.ts';
import { createPartReader } from './stream.ts';
import type { AiSdkModel, ProviderOptions } from './types.ts';

export type AiSdkSettings = {
  /** Default: the SDK's names, `provider/model`. */
  id?: string;
  /** Most tokens of one answer, where the catalogue is to be overruled. */
  maxOutputTokens?: number;
  /** Tokens of the model's window, where the catalogue is to be overruled. */
  contextTokens?: number;
  parameters?: Parameters;
  /** The SDK's own options for the provider, sent with every call. */
  providerOptions?: ProviderOptions;
  /** The connection is the SDK's own; here the answer is meant. */
  timeouts?: Partial<Pick<Timeouts, 'firstByteMs' | 'idleMs'>>;
  /** False asks for the answer in one piece. Default true. */
  isStreaming?: boolean;
};

/**
 * Any language model of the AI SDK (`LanguageModelV2`, `V3` or `V4`) as a model of Pawl: `fromAiSdk(mistral('…'))`.
 * Retries, keys and connections of the call are the SDK's; errors come with Pawl's codes.
 * @throws `bad_model` if it is none; when called, the codes of `errors.ts` and `http/failure.ts`, and `model_failed`.
 */
export function fromAiSdk(model: AiSdkModel, settings: AiSdkSettings = {}): Model {
  if (!/^v[234]$/.test(model.specificationVersion)) {
    const sentence = `This model speaks version ${model.specificationVersion} of the AI SDK's interface. Pawl knows v2, v3 and v4.`;
    throw new PawlError('bad_model', sentence);
  }
  // Names such as `openai.responses` say which of its interfaces, too.
  const [provider = ''] = model.provider.split('.');
  const id = settings.id ?? `${provider}/${model.modelId}`;
  const pricing = createPricing(provider, `ai-sdk:${provider}`, model.modelId);
  const promptSettings = {
    version: model.specificationVersion,
    id,
    parameters: settings.parameters ?? {},
    providerOptions: unstored(provider, settings.providerOptions),
  };
  const warned = new Set<string>();

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const events: ModelEvent[] = [];
    const emit = (event: ModelEvent) => events.push(event);
    const reader = createPartReader(emit, (usage) => pricing.cost(usage, Date.now()), model);
    const call = openCall(signal, settings.timeouts ?? {});
    try {
      const options = createOptions(promptSettings, request, call.signal) as never;
      yield { type: 'activity', activity: 'waiting_headers' };
      if (settings.isStreaming === false) {
        const whole = await call.wait(model.doGenerate(options));
        yield* noticesOf(list(fields(whole).warnings), id, warned);
        reader.readWhole(whole);
      } else {
        const { stream: parts, response } = await call.wait(model.doStream(options));
        if (isWebPage(string(fields(fields(response).headers)['content-type']), '')) throw notAModel(provider, '');
        yield { type: 'activity', activity: 'waiting_first_token' };
        const source = parts.getReader();
        let isWriting = false;
        call.onEnd(() => source.cancel());
        for (;;) {
          const { done, value } = await source.read();
          call.check();
          if (done) break;
          if (fields(value).type === 'stream-start') {
            yield* noticesOf(list(fields(value).warnings), id, warned);
          } else {
            reader.read(value);
            isWriting ||= events.some(({ type }) => type === 'text' || type === 'input');
            call.heard(isWriting);
          }
          yield* events.splice(0);
        }
      }
      const message = reader.finish();
      yield* events.splice(0);
      call.close();
      yield { type: 'finished', message };
    } catch (error) {
      throw await withoutKeys(readError(call.failure() ?? error, provider, Date.now()), model);
    } finally {
      call.close();
    }
  }

  return {
    id,
    get info() {
      return pricing.info(settings);
    },
    stream,
  };
}

type Call = {
  /** Aborts what the SDK does for this call. */
  signal: AbortSignal;
  /** What `work` brings, unless the call ends before. */
  wait<Value>(work: PromiseLike<Value>): Promise<Value>;
  /** @throws why the call ended early, if it did. */
  check(): void;
  /** The answer has begun, or goes on; `isWriting`: with more than thoughts. */
  heard(isWriting: boolean): void;
  /** Makes who reads hear of the end, however it comes. */
  onEnd(stop: () => Promise<unknown>): void;
  /** Why the call ended early, if it did. */
  failure(): PawlError | null;
  close(): void;
};

/** The life of one call: it ends at once when `signal` aborts or nothing happens for too long, whatever the SDK does. */
function openCall(signal: AbortSignal, timeouts: Partial<Timeouts>): Call {
  const limits = { ...defaultTimeouts, ...timeouts };
  const controller = new AbortController();
  const ended = Promise.withResolvers<never>();
  // Whoever waits hears of it; if nobody does, nobody needs to.
  ended.promise.catch(() => undefined);
  let failure: PawlError | null = null;
  let isClosed = false;
  let stop: () => Promise<unknown> = () => Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function fail(error: PawlError): void {
    if (isClosed) return;
    failure = error;
    ended.reject(error);
    close();
  }
  function onAbort(): void {
    fail(new PawlError('cancelled', 'The call was cancelled.', { cause: signal.reason }));
  }
  function limit({ milliseconds, setting }: SilenceLimit, code: string): void {
    clearTimeout(timer);
    if (milliseconds <= 0 || isClosed) return;
    const sentence = `The model sent nothing for ${milliseconds} ms. Try again, or raise ${setting}.`;
    timer = setTimeout(() => fail(modelError(code, sentence)), milliseconds);
  }
  function close(): void {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    controller.abort();
    // What is left of the answer is of no interest, nor is how its source takes the goodbye.
    stop().catch(() => undefined);
  }

  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  limit({ milliseconds: limits.firstByteMs, setting: 'timeouts.firstByteMs' }, 'first_byte_timeout');

  return {
    signal: controller.signal,
    wait: (work) => Promise.race([ended.promise, work]),
    check() {
      if (failure !== null) throw failure;
    },
    heard: (isWriting) => limit(silenceLimit(limits, !isWriting), 'idle_timeout'),
    onEnd(next) {
      stop = next;
    },
    failure: () => failure,
    close,
  };
}

/** What the SDK could not do as asked, each told once. */
function noticesOf(warnings: readonly unknown[], id: string, told: Set<string>): ModelEvent[] {
  return warnings.map(fields).flatMap((warning): ModelEvent[] => {
    const what = string(warning.feature) || string(warning.setting) || string(warning.message) || 'a setting';
    const details = string(warning.details);
    const message = `${id} passes over: ${what}${details === '' ? '' : ` (${details})`}`;
    if (told.has(message)) return [];
    told.add(message);
    return [{ type: 'notice', level: 'info', code: 'model_warning', message }];
  });
}
