import { describe, expect, it } from 'vitest';
import {
  type Containment,
  judgeByRules,
  prepareCommand,
  reachesOutside,
  readsOnly,
  readsWhereContained,
} from '../src/index.ts';
import { lookingAround } from './looking-around.ts';

await prepareCommand('more than; plain words');

/** As the tool `bash` puts the question in mode `manual`. */
function isAsked(command: string, hasSandbox: boolean): boolean {
  const isContained = hasSandbox && readsWhereContained(command);
  const containment: Containment = isContained ? 'read-only' : hasSandbox ? 'workspace' : 'none';
  const { verdict } = judgeByRules({
    cwd: '/repo',
    home: '/home/ann',
    layers: [],
    tool: 'bash',
    subjects: [{ kind: 'command', value: command }],
    mode: 'manual',
    effect: 'external',
    toolAsks: (!isContained && !readsOnly(command)) || reachesOutside(command, '/repo', { isContained }),
    containment,
  });
  return verdict !== 'allow';
}

describe('P12: of the commands with which agents look around', () => {
  it('there are enough to be measured', () => {
    expect(new Set(lookingAround).size).toBeGreaterThan(110);
  });

  it.each([
    ['in a sandbox', true, 0.05],
    ['without one', false, 0.12],
  ] as const)('few are asked about %s', (_, hasSandbox, share) => {
    const asked = lookingAround.filter((command) => isAsked(command, hasSandbox));
    console.log(`asked about: ${asked.length} of ${lookingAround.length}\n${asked.join('\n')}`);
    expect(asked.length / lookingAround.length).toBeLessThan(share);
  });

  it('what looks like them and reaches elsewhere is asked about', () => {
    for (const command of [
      'for f in a /etc/passwd; do head "$f"; done',
      'for f in a ../x; do head "$f"; done',
      'for f in $(cat list); do head "$f"; done',
      'for f in *; do head $f; done',
      'for f in a b; do f=/etc/passwd; cat "$f"; done',
      'for f in a b; do read f; cat "$f"; done < list',
      'for f in a; do rm "$f"; done',
      'for f in a b; do cat "$f" > "$f.x"; done',
      'IFS=:; for f in a:/etc/passwd; do cat $f; done',
      'cat "$f"; for f in a b; do :; done',
      'ls {a,/etc}',
      'ls {,/etc}',
      'cat {a,b}/../../../etc/passwd',
      'cd src && cat ../../x',
      'cd src; cat ../x/../../y',
      'cd src || cat ../x',
      'cd src | cat ../x',
      'cd src; cat ../x',
      '! cd src && cat ../x',
      'if cd src; then cat ../x; fi',
      'while cd ..; do cat x; done',
      '(cd src); cat ../x',
      '(cd src && ls) && (cd docs && cat ../../x)',
      'cat list | xargs cat',
      'ls | xargs rm',
      'ls | xargs -I{} sh -c "{}"',
      'find . | xargs -I% cp % /x',
      'ls | while read -r f; do eval "$f"; done',
      'ls | while read -r PATH; do ls; done',
      'ls | while read -r f; do cat $f; done',
      'ls | tee x',
      'awk -F/ -f x a',
      'cat */../../x',
    ])
      expect([command, isAsked(command, false)]).toEqual([command, true]);
  });
});
