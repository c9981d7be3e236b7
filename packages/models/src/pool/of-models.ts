import type { Model } from '@pawl/engine';
import { type PoolOptions, poolModel } from './pool.ts';

/**
 * Combines models into one that answers as long as any of them does: with retries, waits as long as the provider asks,
 * and the next model where one is down. A pool of one retries. Its id is that of the first, where none is
 * given. For several keys of one provider, see `poolModel`.
 * @throws `bad_config` without models.
 * @example
 * const model = pool([anthropic({ model: 'claude-sonnet-4-5' }), openai({ model: 'gpt-5' })]);
 */
export function pool(models: readonly Model[], options: Partial<Omit<PoolOptions, 'candidates'>> = {}): Model {
  const candidates = models.map((model) => ({
    id: model.id,
    // Read when it is asked for: the catalogue is slow to load.
    get info() {
      return model.info;
    },
    provider: { name: model.id.slice(0, Math.max(0, model.id.indexOf('/'))) || model.id, baseUrl: '', keys: [] },
    open: () => model,
  }));
  return poolModel({ id: models[0]?.id ?? 'pool', ...options, candidates });
}
