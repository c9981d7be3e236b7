/** Calls that nobody's turn waits on, such as for a summary: they heed what is known of providers and keys, and add nothing. */
import type { Endpoint, KeyHealth } from './endpoint.ts';
import type { Target } from './plan.ts';

/** The targets in copies of what is known of them, each with the one it stands for. What becomes of a copy stays with it. */
export function apart(order: readonly Target[]): Map<Target, Target> {
  const endpoints = new Map<Endpoint, Endpoint>();
  const healths = new Map<KeyHealth, KeyHealth>();
  const copies = new Map<Target, Target>();
  for (const target of order) {
    const { endpoint, health } = target.place;
    const ownEndpoint = endpoints.get(endpoint) ?? copyOfEndpoint(endpoint);
    const ownHealth = healths.get(health) ?? {
      ...health,
      rests: new Map(health.rests),
      snapshots: new Map(health.snapshots),
    };
    endpoints.set(endpoint, ownEndpoint);
    healths.set(health, ownHealth);
    copies.set({ ...target, place: { ...target.place, endpoint: ownEndpoint, health: ownHealth } }, target);
  }
  return copies;
}

/** Its gate is the provider's own: that so many requests a minute are allowed holds for all of them. */
const copyOfEndpoint = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  breaker: { ...endpoint.breaker },
  missing: new Map(endpoint.missing),
});
