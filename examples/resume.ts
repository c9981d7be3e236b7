/**
 * A program that is killed in the middle of its work, and another that finishes it: what was done is not done again,
 * and what was not begun is done. Called without arguments it plays both parts.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost, type Model, sqliteLog, type Tool } from 'pawl';

const [part, folder = ''] = process.argv.slice(2);
const notes = join(folder, 'notes.txt');

/** Writes one line. The second time it is called, the program dies before it gets to it. */
const note: Tool = {
  name: 'note',
  description: 'Writes a line.',
  input: { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] },
  effect: 'idempotent',
  approval: () => false,
  run: async ({ line }) => {
    if (part === 'die' && line === 'second') process.kill(process.pid, 'SIGKILL');
    appendFileSync(notes, `${line}\n`);
    return { content: 'Written.' };
  },
};

/** Asks for one line after the other; where it stands, it knows from the conversation alone. */
const writer: Model = {
  id: 'writer',
  info: { contextTokens: 1000, outputTokens: 100, isPriceKnown: true },
  async *stream({ messages }) {
    const line = ['first', 'second', 'third'][messages.filter(({ role }) => role === 'tool').length];
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWriteHourTokens: 0 };
    const common = { usage: { ...usage, reasoningTokens: 0 }, costUsd: 0 };
    yield line === undefined
      ? { type: 'finished', message: { ...common, content: [{ type: 'text', text: 'Done.' }], stopReason: 'end' } }
      : {
          type: 'finished',
          message: {
            ...common,
            content: [{ type: 'tool_call', tool: 'note', input: { line } }],
            stopReason: 'tool_calls',
          },
        };
  },
};

if (part === undefined) {
  const place = mkdtempSync(join(tmpdir(), 'pawl-resume-'));
  const play = (name: string) => spawnSync(process.execPath, [fileURLToPath(import.meta.url), name, place]);
  const died = play('die');
  console.log(`killed by ${died.signal}, having written: ${lines(place)}`);
  play('finish');
  console.log(`finished by another, and it reads: ${lines(place)}`);
  rmSync(place, { recursive: true });
} else {
  const log = sqliteLog({ path: join(folder, 'pawl.db') });
  const host = createHost({ log, model: writer, tools: [note] });
  if (part === 'die') {
    const session = await host.create({ cwd: folder, id: 'notes' });
    await session.run('Write three lines');
  } else {
    // Nothing is sent: opening the session is enough.
    const session = await host.open('notes');
    for await (const event of session.events({ seq: 0 })) if (event.type === 'turn.ended') break;
  }
  await host.close();
  await log.close();
}

function lines(place: string): string {
  return readFileSync(join(place, 'notes.txt'), 'utf8').trim().split('\n').join(', ');
}
