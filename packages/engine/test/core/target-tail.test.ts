import { expect, it } from 'vitest';
import { tailOf } from '../../src/context/tail.ts';
import { begin, call } from './support.ts';

it('E14: the model is told of the target, the check and the result as the turn begins, and again every ten steps', () => {
  const session = begin({ limits: { steps: 100 } });
  const outputSchema = { type: 'object', required: ['plants'] };
  session.send('Water.', 'queue', { target: { maxIterations: 3, verify: 'npm test' }, outputSchema });
  const told: number[] = [];
  for (let step = 1; step <= 20; step++) {
    const tail = tailOf(session.state) ?? '';
    if (tail.includes('call done')) {
      told.push(step);
      for (const part of ['3 iterations', 'npm test', '"plants"']) expect(tail).toContain(part);
    }
    session.answer([call('echo', { step: String(step) })]);
    session.judge(`t1_s${step}_c1`);
    session.finish(`t1_s${step}_c1`);
  }
  expect(told).toEqual([1, 10, 20]);
});
