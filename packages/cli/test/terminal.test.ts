import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHost, demo, sqliteLog } from '../src/index.ts';
import {
  makePlace,
  node,
  type Place,
  pawl,
  program,
  serverEnv,
  startInTerminal,
  startShellInTerminal,
  todoFiles,
} from './pawl.ts';

const job = 'Find every TODO in this folder and write a report to TODO.md';
const interrupt = '\u0003';

async function serve(answers: Parameters<typeof wireServer>[0]) {
  const server = await wireServer(answers);
  onTestFinished(() => server.close());
  return server;
}

/** A server that asks for one command and then says what it was told about it. */
const commander = (command: string) =>
  serve((request) =>
    request.number === 1 ? { calls: [{ tool: 'bash', input: { command } }] } : { text: 'Understood.' },
  );

const lastResult = (server: Awaited<ReturnType<typeof serve>>) =>
  JSON.stringify(server.requests.at(-1)?.messages.at(-1));

describe('an approval in a terminal', () => {
  it('shows the diff, the choices and the time left, and runs after y', async () => {
    const place = makePlace(todoFiles);
    const terminal = startInTerminal(place, ['run', '-m', 'demo', job]);
    await terminal.shown('write asks for approval');
    await terminal.shown('+# TODO report');
    expect(existsSync(join(place.folder, 'TODO.md'))).toBe(false);
    await terminal.shown(/Allow\?.*4:5\d left/);
    terminal.write('y');
    expect(await terminal.ended).toBe(0);
    expect(readFileSync(join(place.folder, 'TODO.md'), 'utf8')).toContain('src/a.ts');
    const screen = stripVTControlCharacters(terminal.output());
    expect(screen).toMatch(/✓ write TODO\.md {2}\+\d+/);
    expect(screen).toMatch(/✓ completed in [^\n]*\n[^\n]*session \S+/);
  });

  it('is put on the terminal itself where something is piped in', async () => {
    const place = makePlace(todoFiles);
    const shell = startShellInTerminal(place);
    await shell.shown('$ ');
    shell.write(`echo "${job}" | ${node} ${program} run -m demo; echo "ended with $?"\r`);
    await shell.shown('Allow?');
    shell.write('y');
    await shell.shown('ended with 0');
    expect(existsSync(join(place.folder, 'TODO.md'))).toBe(true);
    rmSync(join(place.folder, 'TODO.md'));
    shell.write(`${node} ${program} run -m demo "${job}" </dev/null; echo "ended with $?"\r`);
    await shell.shown('ended with 3');
    shell.kill();
  });

  it('writes over its own line, however narrow the terminal is or becomes', async () => {
    for (const [first, then] of [
      [40, 40],
      [100, 40],
    ] as const) {
      const server = await commander('touch a');
      const terminal = startInTerminal(makePlace(), ['run', 'go'], serverEnv(server.url), first);
      await terminal.shown('once');
      terminal.resize(then);
      await terminal.shown(/Allow\? \(4:\d\d left/);
      const before = terminal.output().length;
      await terminal.shown(/4:\d\d left/);
      await terminal.shown(/4:\d\d left/);
      const rows = stripVTControlCharacters(terminal.output().slice(before)).split(/\r|\n/);
      const redrawn = rows.filter((row) => row.includes('Allow?'));
      expect(redrawn.length).toBeGreaterThan(0);
      for (const row of redrawn) expect(row.length).toBeLessThan(40);
      terminal.write('n');
      await terminal.shown('Why not?');
      terminal.write('\r');
      expect(await terminal.ended).toBe(0);
    }
  });

  it('says why it asks, and everything once', async () => {
    const place = makePlace();
    const server = await serve((request) => {
      const commands = ['cat /etc/hosts', 'true && touch \u202e'];
      const command = commands[request.number - 1];
      return command === undefined
        ? { text: 'So.' }
        : { calls: [{ tool: 'bash', input: { command, background: true } }] };
    });
    const terminal = startInTerminal(place, ['run', 'go'], serverEnv(server.url));
    for (const [why, said] of [
      ['It leads out of the session’s folder.', 'cat /etc/hosts'],
      ['it holds characters that cannot be seen', 'true && touch \\u'],
    ] as const) {
      const before = terminal.output().length;
      await terminal.shown('Allow?');
      const asked = stripVTControlCharacters(terminal.output().slice(before));
      expect(asked).toContain(why);
      expect(asked).toContain('In the background');
      expect(asked.split(`command: ${said}`)).toHaveLength(2);
      expect(asked.slice(asked.indexOf('In the background'))).not.toContain(said);
      terminal.write('n');
      await terminal.shown('Why not?');
      terminal.write('\r');
    }
    expect(await terminal.ended).toBe(0);
  });

  it('tells the model the reason of a refusal', async () => {
    const server = await commander('rm everything');
    const terminal = startInTerminal(makePlace(), ['run', 'go'], serverEnv(server.url));
    await terminal.shown('rm everything');
    await terminal.shown('Allow?');
    terminal.write('n');
    await terminal.shown('Why not?');
    terminal.write('too dangerous\r');
    expect(await terminal.ended).toBe(0);
    expect(lastResult(server)).toContain('too dangerous');
  });

  it('runs the arguments as the person changed them, on a line of their own', async () => {
    const place = makePlace();
    const server = await commander('touch a');
    const terminal = startInTerminal(place, ['run', 'go'], serverEnv(server.url));
    await terminal.shown('Allow?');
    terminal.write('e');
    await terminal.shown('Arguments: {"command":"touch a"}');
    terminal.write('\u0008\u0008\u0008b"}\r');
    expect(await terminal.ended).toBe(0);
    expect([existsSync(join(place.folder, 'a')), existsSync(join(place.folder, 'b'))]).toEqual([false, true]);
  });

  it('runs the arguments as the person changed them in their editor, who can mend what is no JSON', async () => {
    const place = makePlace();
    const once = join(place.home, 'once');
    const editor = join(place.home, 'editor.sh');
    const change = `if [ -e "${once}" ]; then sed -i 's/,$/}/' "$1"; else touch "${once}"; echo '{"command": "touch b",' > "$1"; fi`;
    writeFileSync(editor, `#!/bin/sh\n${change}\n`, { mode: 0o755 });
    const server = await commander('touch a');
    const terminal = startInTerminal(place, ['run', 'go'], { ...serverEnv(server.url), EDITOR: editor });
    await terminal.shown('Allow?');
    terminal.write('e');
    await terminal.shown('That is no JSON');
    await terminal.shown('Allow?');
    terminal.write('e');
    expect(await terminal.ended).toBe(0);
    expect([existsSync(join(place.folder, 'a')), existsSync(join(place.folder, 'b'))]).toEqual([false, true]);
  });

  it('adds a suggested rule for the rest of the session after s, so that the next such call is not asked', async () => {
    const place = makePlace();
    const server = await serve((request) =>
      request.number < 3 ? { calls: [{ tool: 'bash', input: { command: 'touch a' } }] } : { text: 'Twice.' },
    );
    const terminal = startInTerminal(place, ['run', 'go'], serverEnv(server.url));
    await terminal.shown('Allow?');
    terminal.write('s');
    await terminal.shown('1 bash(touch a)');
    await terminal.shown('back');
    terminal.write('1');
    expect(await terminal.ended).toBe(0);
    expect(terminal.output().split('asks for approval')).toHaveLength(2);
    const { stdout } = await pawl(place, ['sessions', 'show', 'latest']);
    expect(stdout).toContain('A rule was added: allow bash(touch a)');
  });

  it('shows the exact bytes of what it asks about, and lets nothing of it act on the terminal', async () => {
    const server = await commander('echo safe \u001b[2K\u202e\u200b && true');
    const terminal = startInTerminal(makePlace(), ['run', 'go'], serverEnv(server.url));
    await terminal.shown('Allow?');
    expect(stripVTControlCharacters(terminal.output())).toContain('echo safe \\x1b[2K\\u202e\\u200b && true');
    expect(terminal.output()).not.toContain('\u202e');
    expect(terminal.output()).not.toContain('\u001b[2K');
    terminal.write('n');
    await terminal.shown('Why not?');
    terminal.write('\r');
    expect(await terminal.ended).toBe(0);
  });

  it('does not take what was typed before the question for its answer', async () => {
    const place = makePlace();
    let go: () => void = () => undefined;
    const later = new Promise<void>((resolve) => {
      go = resolve;
    });
    const server = await serve((request) =>
      request.number === 1
        ? { calls: [{ tool: 'bash', input: { command: 'touch a' } }], after: later }
        : { text: 'Understood.' },
    );
    const terminal = startInTerminal(place, ['run', 'go'], serverEnv(server.url));
    await terminal.shown('waiting for the model');
    terminal.write('yyyy');
    await terminal.shown('yyyy');
    go();
    await terminal.shown('Allow?');
    terminal.write('n');
    await terminal.shown('Why not?');
    terminal.write('\r');
    expect(await terminal.ended).toBe(0);
    expect(existsSync(join(place.folder, 'a'))).toBe(false);
  });

  it('takes no paste and no arrow or function key for an answer, whatever letters are in them', async () => {
    const place = makePlace();
    const server = await commander('touch a');
    const terminal = startInTerminal(place, ['run', 'go'], serverEnv(server.url));
    await terminal.shown(/4:\d\d left/);
    for (const keys of ['yes, please\rdo it\r', '\u001b[D', '\u001bOP', '\u001b[200~y\u001b[201~']) {
      terminal.write(keys);
      // It is still asking a second later.
      await terminal.shown(/4:\d\d left/);
    }
    terminal.write('n\r');
    await terminal.shown('Why not?');
    expect(stripVTControlCharacters(terminal.output())).not.toContain('For the rest');
    terminal.write('\r');
    expect(await terminal.ended).toBe(0);
    expect(existsSync(join(place.folder, 'a'))).toBe(false);
  });

  it('waits on after Ctrl-Z and fg', async () => {
    const place = makePlace();
    const server = await commander('touch a');
    const terminal = startShellInTerminal(place, serverEnv(server.url));
    await terminal.shown('$ ');
    terminal.write(`${node} ${program} run go\r`);
    await terminal.shown(/4:\d\d left/);
    terminal.write('\u001a');
    await terminal.shown('Stopped');
    terminal.write('fg\r');
    await terminal.shown('Allow?');
    terminal.write('y');
    await terminal.shown('completed');
    expect(existsSync(join(place.folder, 'a'))).toBe(true);
    // Whoever ends with the shell still writes what it has to.
    await terminal.shown('$ ');
    terminal.write('exit\r');
    await terminal.ended;
  });

  it('takes a key after Ctrl-Z also where no shell is there to stop it', async () => {
    const server = await commander('touch a');
    const terminal = startInTerminal(makePlace(), ['run', 'go'], serverEnv(server.url));
    await terminal.shown(/4:\d\d left/);
    terminal.write('\u001a');
    await terminal.shown(/4:\d\d left/);
    terminal.write('y');
    expect(await terminal.ended).toBe(0);
  });

  it('is still open after the program was killed, and answered in the next one', async () => {
    const place = makePlace();
    const server = await commander('touch a');
    const env = serverEnv(server.url);
    const first = startInTerminal(place, ['run', '--session-id', 'mine', 'go'], env);
    await first.shown('Allow?');
    first.kill();
    await first.ended;
    const second = startInTerminal(place, ['run', '-r', 'mine'], env);
    await second.shown('touch a');
    await second.shown('Allow?');
    second.write('y');
    expect(await second.ended).toBe(0);
    expect(existsSync(join(place.folder, 'a'))).toBe(true);
  });
});

describe('an approval that is not answered in the terminal', () => {
  it('is taken back when its time is up, and the model is told that nobody answered', async () => {
    const place = makePlace();
    const server = await commander('touch a');
    const env = serverEnv(server.url);
    await createWithDeadline(place, 'mine', 600);
    const terminal = startInTerminal(place, ['run', '-r', 'mine', '-m', env.PAWL_MODEL ?? '', 'go'], env);
    await terminal.shown('Allow?');
    await terminal.shown('Nobody answered in time');
    expect(await terminal.ended).toBe(0);
    expect(lastResult(server)).toContain('not a refusal by the user');
    expect(existsSync(join(place.folder, 'a'))).toBe(false);
  });

  it('is denied when the session goes on where nobody can be asked, with exit code 3', async () => {
    const place = makePlace();
    const server = await commander('touch a');
    const env = serverEnv(server.url);
    const terminal = startInTerminal(place, ['run', '--session-id', 'mine', 'go'], env);
    await terminal.shown('Allow?');
    terminal.kill();
    await terminal.ended;
    expect(await pawl(place, ['run', '-r', 'mine'], { env })).toMatchObject({ code: 3, stdout: 'Understood.\n' });
  });
});

/** A session whose approvals wait only so long. */
async function createWithDeadline(place: Place, id: string, approvalTimeoutMs: number): Promise<void> {
  const log = sqliteLog({ path: join(place.home, 'pawl', 'pawl.db') });
  const host = createHost({ log, model: demo() });
  await host.create({ id, cwd: place.folder, isAttended: true, limits: { approvalTimeoutMs } });
  await host.close();
  await log.close();
}

describe('Ctrl-C in a terminal', () => {
  const deaf = () => serve(() => ({ text: 'late', after: new Promise<void>(() => undefined) }));

  it('cancels the turn, exits with 130, and says how to go on', async () => {
    const server = await deaf();
    const terminal = startInTerminal(makePlace(), ['run', '--session-id', 'mine', 'go'], serverEnv(server.url));
    await terminal.shown('waiting for the model');
    terminal.write(interrupt);
    expect(await terminal.ended).toBe(130);
    expect(terminal.output()).toContain('Go on with: pawl run --resume mine');
  });

  it('cancels the turn while an approval is asked', async () => {
    const place = makePlace();
    const server = await commander('touch a');
    const terminal = startInTerminal(place, ['run', 'go'], serverEnv(server.url));
    await terminal.shown('Allow?');
    terminal.write(interrupt);
    expect(await terminal.ended).toBe(130);
    expect(existsSync(join(place.folder, 'a'))).toBe(false);
    const { stdout } = await pawl(place, ['sessions', 'show', 'latest']);
    expect(stdout).toContain('cancelled');
  });

  it('leaves at once the second time, and the session can be resumed', async () => {
    const place = makePlace();
    // A command that does not end when told to, so that the first Ctrl-C has something to wait for.
    const server = await commander("trap '' TERM INT; echo running > started; sleep 5");
    const env = serverEnv(server.url);
    const args = ['run', '--session-id', 'mine', '--permission-mode', 'auto', 'go'];
    const terminal = startInTerminal(place, args, env);
    await terminal.shown('bash trap');
    await expect.poll(() => existsSync(join(place.folder, 'started'))).toBe(true);
    terminal.write(interrupt);
    await terminal.shown('once more to leave at once');
    terminal.write(interrupt);
    expect(await terminal.ended).toBe(130);
    const resumed = await pawl(place, ['run', '-r', 'mine'], { env });
    expect(resumed.code).not.toBe(2);
    expect(resumed.stderr).not.toContain('Nothing is owed');
  });
});

describe('a terminal', () => {
  it('shows text as it streams, with what could act on it written out', async () => {
    let go: () => void = () => undefined;
    const later = new Promise<void>((resolve) => {
      go = resolve;
    });
    const server = await serve([
      { text: ['first \u001b]0;title\u0007', ' second'], pause: { atByte: 900, until: later } },
    ]);
    const terminal = startInTerminal(makePlace(), ['run', 'go'], serverEnv(server.url));
    await terminal.shown('first');
    expect(terminal.output()).not.toContain('\u001b]0;');
    go();
    await terminal.shown('second');
    expect(await terminal.ended).toBe(0);
    expect(terminal.output()).toContain('first \\x1b]0;title\\x07 second');
  });

  it('has a spinner and colour, but no escape sequence at all when it is dumb', async () => {
    const place = makePlace(todoFiles);
    const args = ['run', '-m', 'demo', 'List the files in src'];
    const rich = startInTerminal(place, args);
    expect(await rich.ended).toBe(0);
    expect(rich.output()).toContain('⠋');
    expect(rich.output()).toContain('\u001b[32m✓');
    const plain = startInTerminal(place, args, { TERM: 'dumb' });
    expect(await plain.ended).toBe(0);
    expect(plain.output()).not.toContain('\u001b');
    expect(plain.output()).not.toContain('⠋');
    const grey = startInTerminal(place, args, { NO_COLOR: '1' });
    expect(await grey.ended).toBe(0);
    expect(grey.output()).toContain('⠋');
    expect(grey.output()).not.toMatch(/\[\d+m/);
  });

  it('asks before it deletes', async () => {
    const place = makePlace(todoFiles);
    await pawl(place, ['run', '-m', 'demo', '--session-id', 'mine', 'List the files in src']);
    const kept = startInTerminal(place, ['sessions', 'delete', 'mine']);
    await kept.shown('(y/N)');
    kept.write('\r');
    expect(await kept.ended).toBe(130);
    const gone = startInTerminal(place, ['sessions', 'delete', 'mine']);
    await gone.shown('(y/N)');
    gone.write('y\r');
    expect(await gone.ended).toBe(0);
  });
});
