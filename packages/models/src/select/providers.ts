/** Providers that need no configuration: their address, their wire, and the variables that their own tools read. */

import type { CreditEndpoint } from '../pool/credit.ts';

export type WireName = 'anthropic' | 'openai' | 'openai-chat' | 'google';

export type KnownProvider = {
  wire: WireName;
  baseUrl: string;
  /** Variables that hold its key, the first that is set counts. None: it needs no key. */
  keys: readonly string[];
  /** A variable with a token that is sent as such in place of a key. */
  token?: string;
  /** A variable that names another address. */
  address?: string;
  /** Its name in the catalogue, where it has one. */
  catalogue?: string;
  /** Where it tells what is left of an account. */
  credit?: CreditEndpoint;
};

const chat = (baseUrl: string, key: string, catalogue: string, credit?: CreditEndpoint): KnownProvider => ({
  wire: 'openai-chat',
  baseUrl,
  keys: [key],
  catalogue,
  ...(credit === undefined ? {} : { credit }),
});
const local = (baseUrl: string): KnownProvider => ({ wire: 'openai-chat', baseUrl, keys: [] });

/** By name. Addresses and variables are those of each provider's own documentation. */
export const knownProviders: { readonly [name: string]: KnownProvider } = {
  anthropic: {
    wire: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    keys: ['ANTHROPIC_API_KEY'],
    token: 'ANTHROPIC_AUTH_TOKEN',
    address: 'ANTHROPIC_BASE_URL',
    catalogue: 'anthropic',
  },
  openai: {
    wire: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keys: ['OPENAI_API_KEY'],
    address: 'OPENAI_BASE_URL',
    catalogue: 'openai',
  },
  'openai-chat': {
    wire: 'openai-chat',
    baseUrl: 'https://api.openai.com/v1',
    keys: ['OPENAI_API_KEY'],
    address: 'OPENAI_BASE_URL',
    catalogue: 'openai',
  },
  google: {
    wire: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com',
    keys: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
    address: 'GOOGLE_GEMINI_BASE_URL',
    catalogue: 'google',
  },
  // Credit: https://openrouter.ai/docs/api-reference/limits
  openrouter: chat('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', 'openrouter', {
    path: '/key',
    remaining: 'data.limit_remaining',
    limit: 'data.limit',
  }),
  groq: chat('https://api.groq.com/openai/v1', 'GROQ_API_KEY', 'groq'),
  mistral: chat('https://api.mistral.ai/v1', 'MISTRAL_API_KEY', 'mistral'),
  // Credit: https://api-docs.deepseek.com/api/get-user-balance
  deepseek: chat('https://api.deepseek.com', 'DEEPSEEK_API_KEY', 'deepseek', {
    path: '/user/balance',
    remaining: 'balance_infos.0.total_balance',
  }),
  xai: chat('https://api.x.ai/v1', 'XAI_API_KEY', 'xai'),
  together: chat('https://api.together.xyz/v1', 'TOGETHER_API_KEY', 'together'),
  fireworks: chat('https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY', 'fireworks'),
  cerebras: chat('https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY', 'cerebras'),
  // Credit: https://platform.moonshot.ai/docs/api/balance
  moonshotai: chat('https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY', 'moonshotai', {
    path: '/users/me/balance',
    remaining: 'data.available_balance',
  }),
  zai: chat('https://api.z.ai/api/paas/v4', 'ZAI_API_KEY', 'zai'),
  minimax: {
    wire: 'anthropic',
    baseUrl: 'https://api.minimax.io/anthropic',
    keys: ['MINIMAX_API_KEY'],
    catalogue: 'minimax',
  },
  perplexity: chat('https://api.perplexity.ai', 'PERPLEXITY_API_KEY', 'perplexity'),
  cohere: chat('https://api.cohere.ai/compatibility/v1', 'COHERE_API_KEY', 'cohere'),
  nvidia: chat('https://integrate.api.nvidia.com/v1', 'NVIDIA_API_KEY', 'nvidia'),
  huggingface: chat('https://router.huggingface.co/v1', 'HF_TOKEN', 'huggingface'),
  baseten: chat('https://inference.baseten.co/v1', 'BASETEN_API_KEY', 'baseten'),
  // Credit: https://vercel.com/docs/ai-gateway
  vercel: chat('https://ai-gateway.vercel.sh/v1', 'AI_GATEWAY_API_KEY', 'vercel', {
    path: '/credits',
    remaining: 'balance',
  }),
  ollama: local('http://127.0.0.1:11434/v1'),
  lmstudio: local('http://127.0.0.1:1234/v1'),
  vllm: local('http://127.0.0.1:8000/v1'),
  llamacpp: local('http://127.0.0.1:8080/v1'),
};
