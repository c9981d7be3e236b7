/**
 * Property tests try the same cases at each run, so that a change is judged by what it changed. `PAWL_SEED=random` tries
 * others, `PAWL_SEED=<number>` those of a run that failed.
 */
import fc from 'fast-check';

const asked = process.env.PAWL_SEED ?? '1';
const seed = asked === 'random' ? Date.now() : Number(asked);
if (!Number.isSafeInteger(seed)) throw new Error(`PAWL_SEED is a whole number or "random", not "${asked}"`);
fc.configureGlobal({ seed });
