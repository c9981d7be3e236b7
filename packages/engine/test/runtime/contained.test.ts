import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import type { Redactor, ToolScope } from '../../src/index.ts';
import { secretMarksIn } from '../../src/readers/index.ts';
import { collect, fakeHost, fakeModel, fakeTool, ofType } from './support.ts';

const commands = (containment: 'workspace' | 'escape', ran: string[]) =>
  fakeTool(
    'bash',
    async ({ command }) => {
      ran.push(String(command));
      return { content: 'ran' };
    },
    { effect: 'external', subjectKind: 'command', containment: () => containment },
  );

describe('P10: a call that is contained', () => {
  it('needs no question in accept-edits', async () => {
    const ran: string[] = [];
    const host = fakeHost(fakeModel([{ tool: 'bash', input: { command: 'make' } }]), {
      tools: [commands('workspace', ran)],
    });
    const session = await host.create({ cwd: '/w', mode: 'accept-edits' });
    expect(await session.run('Go.')).toMatchObject({ unattendedDenials: 0 });
    expect(ran).toEqual(['make']);
  });

  it('is asked about when it wants to leave, and offers no rule for it', async () => {
    const ran: string[] = [];
    const host = fakeHost(fakeModel([{ tool: 'bash', input: { command: 'make' } }]), {
      tools: [commands('escape', ran)],
    });
    const session = await host.create({ cwd: '/w', mode: 'auto', isAttended: true, rules: { allow: ['bash'] } });
    const run = session.run('Go.');
    for await (const event of session.events({ seq: 0 })) {
      if (event.type !== 'approval.requested') continue;
      expect(event.data).toMatchObject({ rule: 'leaving the sandbox', suggestions: [] });
      expect(ran).toEqual([]);
      await session.deny(event.data.call);
      break;
    }
    await run;
    expect(ran).toEqual([]);
  });
});

describe('T4: a tool that has something to say later', () => {
  it('tells the session, which takes it up before its next step', async () => {
    let scope: ToolScope | null = null;
    const starts = fakeTool('start', async (_, context) => {
      scope = context;
      return { content: 'started' };
    });
    const waits = fakeTool('wait', async () => {
      scope?.notify?.('It has ended.');
      return { content: 'waited' };
    });
    const model = fakeModel([{ tool: 'start' }], [{ tool: 'wait' }], 'Done.');
    const session = await fakeHost(model, { tools: [starts, waits] }).create({ cwd: '/w' });
    await session.run('Go.');
    await session.run('And now?');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('It has ended.');
  });

  it('tells nobody when the session is not driven any more', async () => {
    let scope: ToolScope | null = null;
    const starts = fakeTool('start', async (_, context) => {
      scope = context;
      return { content: 'started' };
    });
    const host = fakeHost(fakeModel([{ tool: 'start' }]), { tools: [starts] });
    const session = await host.create({ cwd: '/w' });
    await session.run('Go.');
    const { seq } = await session.view();
    await host.close();
    (scope as ToolScope | null)?.notify?.('It has ended.');
    expect((await host.read(session.id)).at(-1)?.seq).toBe(seq);
  });
});

describe('P11: secrets in what tools say', () => {
  const redactor: Redactor = {
    redact: (text) => text.replaceAll('s3cret', '[secret]'),
    stream: () => {
      let held = '';
      return {
        push(piece) {
          const text = (held + piece).replaceAll('s3cret', '[secret]');
          held = text.endsWith('s3') ? 's3' : '';
          return held === '' ? text : text.slice(0, -held.length);
        },
        end: () => held,
      };
    },
  };

  const atEdge: Redactor = {
    ...redactor,
    redact: (text) => text,
    keep: (text) => text.replaceAll('s3cret', '[secret:KEY]'),
  };

  it('stand in no event and no body, whoever said them, and the model is sent what was said', async () => {
    const log = memoryLog();
    const model = fakeModel([{ tool: 'say', input: { note: 'with s3cret inside' } }], 'It was s3cret.', 'ok');
    const says = fakeTool('say', async (_, { blobs }) => {
      const digest = await blobs.put(new TextEncoder().encode('before: s3cret'));
      expect(new TextDecoder().decode((await blobs.get(digest)) ?? new Uint8Array())).toBe('before: s3cret');
      return { content: 'read: s3cret', details: { digest, inner: ['s3cret'] } };
    });
    const host = fakeHost(model, { tools: [says], redactor: atEdge, log });
    const session = await host.create({ cwd: '/w' });
    const seen = await collect(session.send('My s3cret.'));
    expect(JSON.stringify(seen.filter((event) => 'seq' in event))).not.toContain('s3cret');
    await session.run('Go on.');
    const said = JSON.stringify(model.requests.at(-1)?.messages);
    for (const part of ['My s3cret.', 'with s3cret inside', 'read: s3cret', 'It was s3cret.'])
      expect(said).toContain(part);
    const written = await log.read(session.id);
    expect(JSON.stringify(written)).not.toContain('s3cret');
    expect(secretMarksIn(written)).toEqual(['KEY']);
    expect(JSON.stringify(written)).toContain('with [secret:KEY] inside');
    const digest = /sha256-[0-9a-f]{64}/.exec(JSON.stringify(written))?.[0] ?? '';
    expect(await log.get(digest)).toBeNull();
    await host.close();
    // Taken up elsewhere, the marks say what is missing.
    const next = fakeModel('ok');
    const other = fakeHost(next, { tools: [says], redactor: atEdge, log });
    await (await other.open(session.id)).run('Still there?');
    expect(JSON.stringify(next.requests.at(-1)?.messages)).toContain('My [secret:KEY].');
    const { session: fork } = await other.fork(session.id);
    expect(JSON.stringify(await log.read(fork))).not.toContain('s3cret');
    await other.close();
  });

  it('reach neither log nor model nor screen, in results, details, errors and progress', async () => {
    const says = fakeTool('say', async (_, { progress }) => {
      for (const text of ['a s3', 'cret b']) progress({ text });
      return { content: 'the s3cret', details: { note: { inner: ['s3cret'] } } };
    });
    const throws = fakeTool('throw', async () => {
      throw new Error('key s3cret was refused');
    });
    const model = fakeModel([{ tool: 'say' }, { tool: 'throw' }]);
    const session = await fakeHost(model, { tools: [says, throws], redactor }).create({ cwd: '/w' });
    const events = await collect(session.send('Go.'));
    expect(JSON.stringify(events)).not.toContain('s3cret');
    expect(JSON.stringify(model.requests)).not.toContain('s3cret');
    expect(ofType(events, 'tool.finished').map(({ data }) => data.content)).toEqual([
      'the [secret]',
      'key [secret] was refused',
    ]);
    const shown = events.flatMap((event) => (event.type === 'tool.progress' ? [event.data.text ?? ''] : []));
    expect(shown.join('')).toBe('a [secret] b');
  });

  it('are not in the blob of an output that was cut', async () => {
    const says = fakeTool('say', async () => ({ content: 'line s3cret\n'.repeat(5000) }));
    const log = memoryLog();
    const host = fakeHost(fakeModel([{ tool: 'say' }]), { log, tools: [says], redactor });
    const session = await host.create({ cwd: '/w' });
    const events = await collect(session.send('Go.'));
    const digest = String(ofType(events, 'tool.finished')[0]?.data.details?.output);
    const whole = new TextDecoder().decode((await log.get(digest)) ?? new Uint8Array());
    expect(whole).toBe('line [secret]\n'.repeat(5000));
  });
});
