/** How a model is named: what people write, and what it is. */
export const modelNames: readonly (readonly [name: string, meaning: string])[] = [
  ['demo', 'a small deterministic planner, without key or network'],
  ['replay:<file>', 'a recorded session'],
  ['<provider>/<model>', 'a model of a provider, such as anthropic/<model>; with @high and the like, a variant of it'],
  ['<pool>', 'a chain of models from config.yaml'],
];
