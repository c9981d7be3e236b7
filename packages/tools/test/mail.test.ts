import type { Tool, ToolContext, ToolMailbox } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { mailTools } from '../src/index.ts';
import { createWorkspace } from './workspace.ts';

const letter = { kind: 'blocked' as const, priority: 'notify' as const, text: 'Which port?', artifacts: [] };
const empty: ToolMailbox = { owner: 'owner', inbox: [], outbox: [], problem: async () => null };

const run = (name: string, input: JsonObject, changes: Partial<ToolContext> = {}) => {
  const tool: Tool | undefined = mailTools().find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run(input, createWorkspace().context({ mailbox: empty, ...changes }));
};

describe('A3: mail_send', () => {
  it('hands a letter to the log, to the owner by that name, as a notice unless it says more', async () => {
    const outcome = await run('mail_send', { to: 'owner', kind: 'blocked', text: 'Which port?' });
    expect(outcome).toEqual({ content: 'Sent to owner.', mail: [{ ...letter, to: 'owner' }] });
    const urgent = {
      to: 'task-2',
      kind: 'risk_alert',
      text: 'Stop.',
      priority: 'interrupt',
      replyTo: 'm',
      artifacts: ['a'],
    };
    expect((await run('mail_send', urgent)).mail).toEqual([urgent]);
  });

  it('says at once why a letter cannot be sent', async () => {
    const input = { to: 'owner', kind: 'progress', text: 'Half.' };
    const problem = async () => 'You cannot write to owner.';
    await expect(run('mail_send', input, { mailbox: { ...empty, problem } })).rejects.toThrow('You cannot write');
    await expect(run('mail_send', input, { mailbox: { ...empty, owner: null } })).rejects.toThrow('Nobody gave you');
    const { mailbox: _, ...context } = createWorkspace().context();
    const [, send] = mailTools();
    await expect(send?.run(input, context)).rejects.toThrow('no mail');
  });
});

describe('A3: mail_list', () => {
  it('tells what came and what is under way', async () => {
    const mail = { ...letter, mail: 'owner:m1', thread: 'owner:m1' };
    const inbox = [{ ...mail, from: 'owner', receivedAt: 1, isAcknowledged: false }];
    const outbox = [{ ...mail, mail: 's:m1', to: 'owner', attempts: 2 }];
    const { content } = await run('mail_list', {}, { mailbox: { ...empty, inbox, outbox } });
    expect(content).toContain('- owner:m1 from owner, blocked (new): "Which port?"');
    expect(content).toContain('- s:m1 to owner, blocked, 2 tries failed');
    expect((await run('mail_list', {})).content).toBe('No mail came in.');
  });
});

it('A3: the mail tools touch nothing but the session, so none asks for leave', () => {
  for (const tool of mailTools()) expect([tool.effect, tool.approval]).toEqual(['read', undefined]);
});
