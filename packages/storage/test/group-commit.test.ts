import { join } from 'node:path';
import { sqliteLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import { createGroupCommit } from '../src/sqlite/group-commit.ts';
import { stages } from './events.ts';
import { temporaryFolder } from './helpers.ts';

describe('appends of many sessions in one turn of the event loop', () => {
  it('share a commit, while one session alone never waits', async () => {
    const commits: string[][] = [];
    const groupCommit = createGroupCommit<string>((items) => {
      commits.push([...items]);
      return items.map(() => null);
    });
    await groupCommit.write('a', 'a1');
    await groupCommit.write('a', 'a2');
    await Promise.all([groupCommit.write('b', 'b1'), groupCommit.write('c', 'c1'), groupCommit.write('a', 'a3')]);
    expect(commits).toEqual([['a1'], ['a2'], ['b1', 'c1', 'a3']]);
  });

  it('are refused one by one', async () => {
    const groupCommit = createGroupCommit<string>((items) =>
      items.map((item) => (item === 'bad' ? new Error('no') : null)),
    );
    const outcomes = await Promise.allSettled(['a', 'bad', 'c'].map((item) => groupCommit.write(item, item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('are each tried alone when the commit they share fails', async () => {
    const commits: string[][] = [];
    const groupCommit = createGroupCommit<string>((items) => {
      commits.push([...items]);
      if (items.includes('bad')) throw new Error('disk full');
      return items.map(() => null);
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => groupCommit.write(item, item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(commits).toEqual([['a'], ['b', 'bad', 'c'], ['b'], ['bad'], ['c']]);
  });

  it('are all there, and a conflict among them fails alone', async () => {
    const log = sqliteLog({ path: join(temporaryFolder(), 'log.db') });
    const sessions = Array.from({ length: 20 }, (_, index) => `s${index}`);
    for (const session of sessions) await log.append(session, 0, stages(session, 0, 1));
    const outcomes = await Promise.allSettled(
      sessions.map((session, index) => {
        const expected = index === 7 ? 5 : 1;
        return log.append(session, expected, stages(session, expected, 2));
      }),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    for (const [index, session] of sessions.entries()) {
      expect(await log.read(session)).toHaveLength(index === 7 ? 1 : 3);
    }
    await log.close();
  });

  it('are written when the log is closed in the same turn', async () => {
    const path = join(temporaryFolder(), 'log.db');
    const log = sqliteLog({ path });
    for (const session of ['a', 'b']) await log.append(session, 0, stages(session, 0, 1));
    const appended = ['a', 'b'].map((session) => log.append(session, 1, stages(session, 1, 1)));
    await log.close();
    await Promise.all(appended);
    const again = sqliteLog({ path });
    expect(await again.read('b')).toHaveLength(2);
    await again.close();
  });
});
