/** Calls outside a turn, such as for a summary, use the known health of providers and keys and do not change it. */
import type { Endpoint, KeyHealth } from './endpoint.ts';
import type { Target } from './plan.ts';

/** The targets in copies of what is known of them, each with the one it stands for. What becomes of a copy stays with it. */
export function isolatedCopies(order: readonly Target[]): Map<Target, Target> {
  const endpoints = new Map<Endpoint, Endpoint>();
  const healths = new Map<KeyHealth, KeyHealth>();
  const copies = new Map<Target, Target>();
  for (const target of order) {
    const { endpoint, keyHealth } = target.modelHealth;
    const ownEndpoint = endpoints.get(endpoint) ?? copyOfEndpoint(endpoint);
    const ownHealth = healths.get(keyHealth) ?? {
      ...keyHealth,
      rests: new Map(keyHealth.rests),
      snapshots: new Map(keyHealth.snapshots),
    };
    endpoints.set(endpoint, ownEndpoint);
    healths.set(keyHealth, ownHealth);
    copies.set(
      { ...target, modelHealth: { ...target.modelHealth, endpoint: ownEndpoint, keyHealth: ownHealth } },
      target,
    );
  }
  return copies;
}

/** Its gate is the provider's own: that so many requests a minute are allowed holds for all of them. */
const copyOfEndpoint = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  breaker: { ...endpoint.breaker },
  missing: new Map(endpoint.missing),
});
