/** The tasks of the story: as their owner's log has them, and as their own. */
import type { EventBody } from '@pawl/protocol';

const usage = {
  inputTokens: 10,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

export function taskEvents(): EventBody[] {
  return [
    {
      type: 'task.requested',
      data: {
        task: 'gardener-1',
        session: 's.gardener-1',
        agent: 'gardener',
        prompt: 'Count the roses.',
        context: 'They are red.',
        tools: ['read'],
        scope: ['garden/**'],
        call: 't1_s1_c1',
        isBackground: true,
        isJoined: true,
        key: 'gardener count the roses',
        depth: 1,
        asked: { steps: 25, tokens: 5000 },
        planStep: '2',
        flow: { name: 'after-plan', from: 'turn:1', depth: 1 },
      },
    },
    { type: 'task.joined', data: { task: 'gardener-1', call: 't1_s1_c2', isBackground: false } },
    {
      type: 'task.started',
      data: { task: 'gardener-1', instance: 1, allotment: { steps: 25, tokens: 5000, usd: 0.25, durationMs: 900000 } },
    },
    { type: 'task.changed', data: { task: 'gardener-1', status: 'waiting_on_task', isStalled: false } },
    { type: 'task.sent', data: { task: 'gardener-1', message: 's:c9', text: 'The pink ones too.', delivery: 'steer' } },
    { type: 'task.delivered', data: { task: 'gardener-1', letter: 's:c9', refusal: 'It has ended.' } },
    { type: 'task.reopened', data: { task: 'gardener-1', instance: 2, reason: 'Count again.' } },
    { type: 'task.cancelled', data: { task: 'gardener-1', reason: 'Cancelled by ann: it rains.' } },
    {
      type: 'task.ended',
      data: {
        task: 'gardener-1',
        instance: 1,
        outcome: 'completed',
        message: 'It is done.',
        envelope: {
          summary: 'Forty roses.',
          filesChanged: ['roses.md'],
          verification: ['counted twice'],
          limitations: ['not the back yard'],
          risks: [],
          followUps: ['water them'],
          artifacts: [],
        },
        steps: 3,
        usage,
        costUsd: 0.01,
        filesChanged: ['/garden/roses.md'],
        unattendedDenials: 1,
      },
    },
    {
      type: 'task.assigned',
      data: {
        instance: 1,
        allotment: { steps: 25, tokens: 5000, usd: 0.25, durationMs: 900000 },
        isBackground: true,
        idleMs: 120000,
      },
    },
    { type: 'task.nudged', data: { instance: 1 } },
    { type: 'task.finished', data: { instance: 1, outcome: 'blocked', message: 'Which roses?', envelope: null } },
  ];
}
