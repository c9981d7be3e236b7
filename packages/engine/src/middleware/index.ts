/** Middleware for `requestMiddleware` of `createHost`; the first of its list is the outermost. */

export { withContext } from './context.ts';
export { withCostBudget } from './cost-budget.ts';
export { withSystem } from './system.ts';
