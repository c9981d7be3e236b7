/** What is known of providers and keys, and the file where it outlives the process. */
export { createHealth, type Health } from '../pool/health.ts';
export { fileHealthStore } from '../pool/health-store.ts';
export type { KeyReport, ProviderReport } from '../pool/report.ts';
