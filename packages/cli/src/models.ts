/** Models by the names that people give. */
import type { Model } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';

const ways = `No model is chosen. There are three ways to get one:
  pawl run --model demo "…"              no key, no network: a small planner that shows how it works
  pawl run --model anthropic/<id> "…"    with ANTHROPIC_API_KEY set
  pawl run --model openai-chat/<id> "…"  with OPENAI_API_KEY set, or OPENAI_BASE_URL for a server of your own
Set PAWL_MODEL, or model in config.yaml, to such a name to make it the default.`;

/** The model's name from the flag, the session, `PAWL_MODEL`, or the configuration. @throws `no_model`. */
export function chooseModel(flag: string | null, session: string | null, configured: string | null): string {
  const name = flag ?? session ?? (process.env.PAWL_MODEL?.trim() || configured);
  if (name !== null && name !== '') return name;
  throw new PawlError('no_model', ways);
}

/**
 * Finds models by name and gives the same one for the same name: a wire keeps what it has serialised.
 * Their traffic goes to the file `record` if one is given.
 */
export function openModels(record: string | null): (name: string) => Promise<Model> {
  const found = new Map<string, Promise<Model>>();
  const find = async (name: string): Promise<Model> => {
    const { modelFor } = await import('@pawl/models/select');
    const model = await modelFor(name);
    if (record === null) return model;
    const recorder = await import('@pawl/models/record');
    return recorder.record(model, record);
  };
  return (name) => {
    const model = found.get(name) ?? find(name);
    found.set(name, model);
    return model;
  };
}
