/** Processes that run on while the session does other things. */
export { type Background, type BackgroundProcess, createBackground } from './background.ts';
