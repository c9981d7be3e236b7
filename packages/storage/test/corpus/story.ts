/** One session in which every type of event happens, as a release records it for later releases to read. */

import type { DurableEvent, EventBody } from '@pawl/protocol';
import { taskEvents } from './story-tasks.ts';

const usage = {
  inputTokens: 1200,
  outputTokens: 80,
  cacheReadTokens: 900,
  cacheWriteTokens: 100,
  cacheWriteHourTokens: 0,
  reasoningTokens: 20,
};
const text = (words: string) => [{ type: 'text' as const, text: words }];
const letter = {
  kind: 'progress' as const,
  priority: 'notify' as const,
  text: 'The fig tree is watered.',
  thread: 'every-event:t1_s1_c1_m1',
  artifacts: ['plan.md'],
};
const modelInfo = { contextTokens: 200_000, outputTokens: 8192, isPriceKnown: true };

/** The events, whose tool output lies in the blob with this digest. */
export function everyEvent(session: string, digest: string): DurableEvent[] {
  const bodies: EventBody[] = [
    {
      type: 'session.created',
      data: {
        cwd: '/home/ann/garden',
        model: 'demo/demo',
        modelInfo,
        agent: 'builder',
        mode: 'manual',
        isAttended: true,
        rules: { deny: ['bash(rm *)'], ask: [], allow: ['read'] },
        limits: {
          steps: 20,
          durationMs: null,
          tokens: null,
          usd: 5,
          sessionTokens: null,
          sessionUsd: null,
          approvalTimeoutMs: 600_000,
        },
        metadata: { origin: 'corpus' },
      },
    },
    { type: 'session.forked', data: { from: { session: 'origin', seq: 1 } } },
    { type: 'session.opened', data: { driver: 'driver-1' } },
    {
      type: 'session.configured',
      data: { model: 'anthropic/large', modelInfo, mode: 'accept-edits', limits: { steps: 30 } },
    },
    { type: 'rule.added', data: { list: 'allow', rule: 'bash(npm run test *)' } },
    { type: 'rule.removed', data: { list: 'allow', rule: 'bash(npm run test *)' } },
    { type: 'session.paused', data: {} },
    { type: 'session.resumed', data: {} },
    {
      type: 'input.queued',
      data: { input: 'i1', delivery: 'queue', content: text('Water the fig tree'), review: true },
    },
    { type: 'input.queued', data: { input: 'i2', delivery: 'steer', content: text('Never mind') } },
    { type: 'input.edited', data: { input: 'i1', content: text('Water the fig tree 🌳 and the rose') } },
    { type: 'input.removed', data: { input: 'i2' } },
    { type: 'turn.started', data: { turn: 1, cause: 'input', input: 'i1', review: true } },
    {
      type: 'message.added',
      data: {
        message: { role: 'user', content: text('Water the fig tree 🌳 and the rose'), source: 'input', input: 'i1' },
      },
    },
    { type: 'step.started', data: { turn: 1, step: 1 } },
    {
      type: 'model.failed',
      data: { turn: 1, step: 1, attempt: 1, error: { code: 'overloaded', message: 'The provider is overloaded.' } },
    },
    { type: 'timer.fired', data: { timer: 'retry:t1_s1:1' } },
    {
      type: 'message.added',
      data: {
        message: {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'Two plants.', signature: 'c2lnbmF0dXJl' },
            { type: 'text', text: 'I look at both.' },
            { type: 'tool_call', id: 't1_s1_c1', tool: 'write', input: { path: 'plan.md', content: 'fig\nrose\n' } },
            { type: 'tool_call', id: 't1_s1_c2', tool: 'write', input: { path: 'plan.md', content: 'rose\n' } },
            { type: 'tool_call', id: 't1_s1_c3', tool: 'read', input: {}, malformed: '{"path":' },
          ],
          model: 'anthropic/large',
          stopReason: 'tool_calls',
          usage,
          costUsd: 0.0123,
        },
      },
    },
    { type: 'stage.declared', data: { stage: 'executing' } },
    { type: 'todo.updated', data: { todos: [{ text: 'Water the fig tree', status: 'in_progress' }] } },
    { type: 'note.set', data: { key: 'tap', value: 'behind the shed' } },
    { type: 'files.reverted', data: { direction: 'undo', files: { '/home/ann/garden/plan.md': null } } },
    { type: 'tools.offered', data: { tools: ['mcp__garden__water'] } },
    {
      type: 'context.gathered',
      data: {
        turn: 1,
        agent: 'planner',
        fragments: [{ region: 'system', name: 'role', text: 'You plan a garden.' }],
        changedFiles: [{ path: '/home/ann/garden/b.txt', digest: null }],
      },
    },
    { type: 'plan.written', data: { text: '1. Dig. 2. Plant.' } },
    { type: 'plan.accepted', data: { agent: 'builder', input: 'c9' } },
    {
      type: 'question.asked',
      data: {
        call: 't1_s1_c3',
        questions: [
          {
            header: 'Rose',
            text: 'Which rose?',
            options: [{ label: 'Red', details: 'By the door.' }, { label: 'White' }],
            isMultiple: true,
            takesText: true,
            default: { choices: ['Red'] },
          },
        ],
        expiresAt: 1_700_000_600_000,
      },
    },
    {
      type: 'question.answered',
      data: {
        call: 't1_s1_c3',
        outcome: 'answered',
        answers: [{ choices: ['Red', 'White'], text: 'and the pink one' }],
      },
    },
    {
      type: 'tool.judged',
      data: {
        call: 't1_s1_c1',
        verdict: 'ask',
        rule: 'tool write',
        effect: 'write',
        paths: ['/home/ann/garden/plan.md'],
        preview: {
          kind: 'diff',
          text: '+fig\n+rose\n',
          added: 2,
          removed: 0,
          createdFiles: ['/home/ann/garden/plan.md'],
        },
        basis: 'sha256:0',
        evidence: { before: null, after: 'sha256:1' },
        suggestions: ['write(plan.md)', 'write(/home/ann/garden/*)'],
      },
    },
    {
      type: 'tool.deferred',
      data: { call: 't1_s1_c2', behind: ['t1_s1_c1'], effect: 'write', paths: ['/home/ann/garden/plan.md'] },
    },
    {
      type: 'tool.judged',
      data: {
        call: 't1_s1_c3',
        verdict: 'deny',
        rule: 'arguments',
        reason: 'The arguments were not a JSON object.',
        isMistake: true,
        effect: 'read',
        paths: [],
      },
    },
    {
      type: 'approval.requested',
      data: {
        call: 't1_s1_c1',
        tool: 'write',
        input: { path: 'plan.md', content: 'fig\nrose\n' },
        rule: 'tool write',
        suggestions: ['write(plan.md)'],
        expiresAt: 1_700_000_600_000,
      },
    },
    {
      type: 'approval.resolved',
      data: { call: 't1_s1_c1', decision: 'allow', reason: 'fine', input: { path: 'plan.md', content: 'fig\n' } },
    },
    { type: 'tool.outdated', data: { call: 't1_s1_c1', reason: 'plan.md was changed.' } },
    {
      type: 'tool.judged',
      data: {
        call: 't1_s1_c1',
        verdict: 'allow',
        rule: 'approved',
        effect: 'write',
        paths: ['/home/ann/garden/plan.md'],
      },
    },
    { type: 'tool.started', data: { call: 't1_s1_c1', effect: 'write' } },
    {
      type: 'tool.finished',
      data: {
        call: 't1_s1_c1',
        status: 'ok',
        content: 'Wrote plan.md.',
        details: { output: digest, files: { '/home/ann/garden/plan.md': 'sha256:1' } },
        durationMs: 3.5,
      },
    },
    { type: 'cancel.requested', data: { turn: 1, reason: 'It rains.', queue: 'wait' } },
    { type: 'tool.finished', data: { call: 't1_s1_c2', status: 'cancelled', content: 'Cancelled: It rains.' } },
    {
      type: 'tool.finished',
      data: { call: 't1_s1_c3', status: 'error', content: 'Not an object.', endsTurn: 'Enough.' },
    },
    {
      type: 'history.repaired',
      data: {
        repairs: [
          { op: 'drop_message', message: 'm14', why: 'It was empty.' },
          { op: 'add_result', message: 'm18', call: 't1_s1_c2', tool: 'write', why: 'It had none.' },
        ],
      },
    },
    { type: 'result.checked', data: { turn: 1, step: 1, isValid: false, problem: 'It is not JSON.' } },
    { type: 'loop.changed', data: { turn: 1, iteration: 2, status: 'verifying' } },
    { type: 'loop.verified', data: { turn: 1, iteration: 2, ok: false, output: 'The rose is dry.' } },
    { type: 'mail.sent', data: { ...letter, mail: 'every-event:t1_s1_c1_m1', to: 'owner' } },
    {
      type: 'mail.delayed',
      data: { mail: 'every-event:t1_s1_c1_m1', attempt: 1, message: 'It is in use.', retryAt: 1_700_000_100_000 },
    },
    { type: 'mail.delivered', data: { mail: 'every-event:t1_s1_c1_m1' } },
    { type: 'mail.sent', data: { ...letter, mail: 'every-event:t1_s1_c1_m2', to: 'nobody' } },
    { type: 'mail.failed', data: { mail: 'every-event:t1_s1_c1_m2', message: 'There is no session nobody.' } },
    { type: 'mail.received', data: { ...letter, mail: 'owner:c9', from: 'owner', replyTo: 'every-event:t1_s1_c1_m1' } },
    { type: 'mail.acknowledged', data: { mail: 'owner:c9', how: 'read' } },
    { type: 'context.trimmed', data: { results: [{ message: 'm18', call: 't1_s1_c1' }], freedTokens: 800 } },
    {
      type: 'context.removed',
      data: { parts: [{ message: 'm18', call: 't1_s1_c1', text: '[taken out]' }], freedTokens: 8, cause: 'manual' },
    },
    { type: 'compaction.started', data: { compaction: 1, cause: 'threshold', through: 'm14', tokens: 90_000 } },
    {
      type: 'compaction.failed',
      data: { compaction: 1, message: 'It was down.', usage, costUsd: null, suspendedSteps: 10 },
    },
    {
      type: 'compaction.started',
      data: { compaction: 2, cause: 'manual', through: 'm14', tokens: 90_000, focus: 'roses' },
    },
    { type: 'compaction.cancelled', data: { compaction: 2, reason: 'Cancelled by ann.', suspendedSteps: 10 } },
    { type: 'compaction.started', data: { compaction: 3, cause: 'overflow', through: 'm14', tokens: 90_000 } },
    {
      type: 'compaction.summarised',
      data: {
        compaction: 3,
        kind: 'summary',
        summary: '## Goal\nRoses.',
        files: [{ path: '/home/ann/garden/a.txt', digest, text: 'fig' }],
        recalled: ['Ann likes figs.'],
        usage,
        costUsd: 0.01,
      },
    },
    {
      type: 'context.compacted',
      data: { compaction: 3, through: 'm14', content: 'It was so.', tokensBefore: 90_000, tokensAfter: 9000 },
    },
    ...taskEvents(),
    { type: 'review.requested', data: { turn: 1 } },
    { type: 'review.resolved', data: { turn: 1, decision: 'reject', reason: 'Too wet.' } },
    {
      type: 'turn.ended',
      data: {
        turn: 1,
        outcome: 'cancelled',
        message: 'Cancelled: It rains.',
        steps: 1,
        usage,
        costUsd: 0.0123,
        unattendedDenials: 0,
      },
    },
  ];
  const by = { kind: 'human', id: 'ann', command: 'c1', digest: 'd1' } as const;
  return bodies.map((body, index) => ({ ...body, seq: index + 1, at: 1_700_000_000_000 + index * 250, session, by }));
}
