import type { Model } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import type { ProxyEnvironment } from './http/proxy.ts';
import { noKey } from './wires/options.ts';

/** How a model is named: what people write, and what it is. */
export const modelNames: readonly (readonly [name: string, meaning: string])[] = [
  ['demo', 'a small deterministic planner, without key or network'],
  ['replay:<file>', 'a recorded session'],
  ['anthropic/<id>', "a model behind Anthropic's Messages API; ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL"],
  ['openai-chat/<id>', 'a model behind the Chat Completions API of any server; OPENAI_API_KEY, OPENAI_BASE_URL'],
];

/**
 * The model that `name` names (see `modelNames`); its wire is loaded only now.
 * @throws `unknown_model`; `no_key` where a key is needed and missing; `bad_base_url`; and what `replay` throws.
 */
export async function modelFor(name: string, environment: ProxyEnvironment = process.env): Promise<Model> {
  if (name === 'demo') return (await import('./demo/index.ts')).demo();
  if (name.startsWith('replay:')) return (await import('./record/replay.ts')).replay(name.slice('replay:'.length));
  const slash = name.indexOf('/');
  const model = name.slice(slash + 1);
  if (slash > 0 && model !== '') {
    switch (name.slice(0, slash)) {
      case 'anthropic': {
        const isKeyed = Boolean(environment.ANTHROPIC_API_KEY || environment.ANTHROPIC_AUTH_TOKEN);
        if (!isKeyed && !environment.ANTHROPIC_BASE_URL) throw noKey('ANTHROPIC_API_KEY', name);
        return (await import('./wires/anthropic.ts')).anthropic({ model, environment });
      }
      case 'openai-chat': {
        if (!environment.OPENAI_API_KEY && !environment.OPENAI_BASE_URL) throw noKey('OPENAI_API_KEY', name);
        return (await import('./wires/openai-chat.ts')).openaiChat({ model, environment });
      }
    }
  }
  const known = modelNames.map(([form, meaning]) => `\n  ${form}  ${meaning}`).join('');
  throw new PawlError('unknown_model', `There is no model "${name}". There are:${known}`);
}
