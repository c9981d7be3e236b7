/** Asks models for a word, with each of their keys, all at once. */
import type { Model } from '@pawl/engine';
import { durationText } from '@pawl/engine/readers/words';
import { type Candidate, createModels, type ModelsSettings } from '@pawl/models/select';
import { isPawlError, messageOf } from '@pawl/protocol';
import { type Finding, failed, ok } from './finding.ts';

type Options = {
  names: readonly string[];
  settings: ModelsSettings;
  timeoutMs: number;
  environment: NodeJS.ProcessEnv;
};

export async function askModels({ names, settings, timeoutMs, environment }: Options): Promise<Finding[]> {
  const models = createModels({ settings, environment });
  const asked = new Set<string>();
  const findings = await Promise.all(
    names.map(async (name) => {
      try {
        const candidates = (await models.candidatesFor(name)).filter(({ id }) => !asked.has(id));
        for (const { id } of candidates) asked.add(id);
        return await Promise.all(candidates.map((candidate) => askWithKeys(candidate, timeoutMs)));
      } catch (error) {
        return [[failed(name, messageOf(error))]];
      }
    }),
  );
  return findings.flat(2);
}

function askWithKeys({ id, provider, open }: Candidate, timeoutMs: number): Promise<Finding[]> {
  const keys = provider.keys.length === 0 ? [null] : provider.keys;
  return Promise.all(
    keys.map(async (key) => {
      const about = key === null || keys.length === 1 ? id : `${id} (${key.name})`;
      const begun = performance.now();
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        await answer(
          open(key, () => undefined),
          signal,
        );
        return ok(about, `answers in ${durationText(performance.now() - begun)}`);
      } catch (error) {
        if (!signal.aborted) return failed(about, messageOf(error), adviceFor(error, provider.name));
        return failed(
          about,
          `no answer in ${durationText(timeoutMs)}`,
          'Try again with a longer --timeout, or another model.',
        );
      }
    }),
  );
}

/** Some providers want room for 16 tokens at least: https://platform.openai.com/docs/api-reference/responses/create. */
const minAnswer = 16;

async function answer(model: Model, signal: AbortSignal): Promise<void> {
  const question = {
    role: 'user' as const,
    source: 'input' as const,
    content: [{ type: 'text' as const, text: 'Say ok.' }],
  };
  const request = {
    session: 'doctor',
    model: model.id,
    system: '',
    tools: [],
    messages: [question],
    tail: null,
    maxOutputTokens: minAnswer,
  };
  for await (const event of model.stream(request, signal)) if (event.type === 'finished') return;
  signal.throwIfAborted();
  throw new Error('The answer had no end.');
}

/** Beyond what the error says itself. */
function adviceFor(error: unknown, provider: string): string | null {
  if (isPawlError(error, 'not_found')) return `pawl models ${provider}/ lists the names that are known.`;
  if (isPawlError(error, 'connection_failed'))
    return 'If it is a server of your own, see that it runs; behind a proxy, set HTTPS_PROXY.';
  if (isPawlError(error, 'unauthorized')) return 'Make a new key at the provider, or correct the one that is set.';
  return null;
}
