/**
 * What any log must do, as cases without a test runner, and wrappers that make a log behave badly on purpose.
 *
 *     for (const { name, run } of logConformance(() => myLog())) it(name, run)
 */

export type { ConformanceCase } from './case.ts';
export { memoryConformance } from './memory.ts';
export { type ConformanceOptions, logConformance } from './suite.ts';
export { type FlakyOperation, type FlakyPlan, flakyLog, rivalLog, slowLog } from './wrappers.ts';
