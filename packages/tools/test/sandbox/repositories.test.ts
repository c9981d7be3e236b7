import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSurvey, type Nested } from '../../src/sandbox/repositories.ts';
import { temporaryFolder } from '../workspace.ts';

describe('P10: repositories that a command makes below the folder', () => {
  it('are found soon after it has ended, also where it ended too early for a look, and what comes later is left alone', async () => {
    const folder = temporaryFolder();
    for (let index = 0; index < 250; index++) mkdirSync(join(folder, `${index}`));
    let tell: (found: readonly Nested[]) => void = () => undefined;
    const late = new Promise<readonly Nested[]>((resolve) => {
      tell = resolve;
    });
    const survey = createSurvey((_, found) => tell(found));
    await survey.look(folder);
    const startedAt = Date.now();
    mkdirSync(join(folder, '7/.git'), { recursive: true });
    const atOnce = await survey.newSince(folder, startedAt);
    // Beyond a tick of the clock that birth times are told by.
    await wait(20);
    mkdirSync(join(folder, '8/.git'), { recursive: true });
    const found = atOnce ?? (await late);
    expect(found).toEqual([{ path: join(folder, '7/.git'), kind: 'folder' }]);
  });
});
