import {
  createHost as createEngineHost,
  type HostOptions as EngineHostOptions,
  type Host,
  type Model,
} from '@pawl/engine';
import { pool } from '@pawl/models';

export type HostOptions = EngineHostOptions & {
  /**
   * Whether models that call once are made pools of one, which try again, and wait as long as the provider asks, as the
   * program's do. Default true. A pool is used as it is: `pool([model], { policy })` says how often and how long.
   */
  retry?: boolean;
};

/** The live sessions of this process, and the clients that use them. */
export function createHost({ retry = true, ...options }: HostOptions): Host {
  if (!retry) return createEngineHost(options);
  const { model, models, clock } = options;
  /** The same pool for the same model: it remembers what rests and what was refused. */
  const made = new WeakMap<Model, Model>();
  const retrying = (given: Model): Model => {
    // It tries again by itself.
    if (given.limitsRequests === true) return given;
    const retryingModel = made.get(given) ?? pool([given], clock === undefined ? {} : { clock });
    made.set(given, retryingModel);
    return retryingModel;
  };
  return createEngineHost({
    ...options,
    model: retrying(model),
    ...(models === undefined ? {} : { models: async (name: string) => retrying(await models(name)) }),
  });
}
