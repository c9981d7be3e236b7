import { homedir } from 'node:os';
import type { Places } from './volatile.ts';

/** The folders of a run that works in `folder`. */
export const placesHere = (folder: string = process.cwd()): Places => ({ folder, home: homedir() });
