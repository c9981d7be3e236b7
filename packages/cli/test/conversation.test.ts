/** `pawl` at a terminal: the conversation, driven by keys and read from the screen. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, node, type Place, program, serverEnv, start, todoFiles } from './pawl.ts';
import { keys, openScreen } from './screen.ts';

const demo = { PAWL_MODEL: 'demo' };
const job = 'Find every TODO in this folder and write a report to TODO.md';

async function serve(answers: Parameters<typeof wireServer>[0]) {
  const server = await wireServer(answers);
  onTestFinished(() => server.close());
  return server;
}

/** A server that asks for these commands, one a step, and then says that it is done. */
const commander = (...commands: string[]) =>
  serve((request) => {
    const command = commands[request.number - 1];
    return command === undefined ? { text: 'All done.' } : { calls: [{ tool: 'bash', input: { command } }] };
  });

/** Until what is being written is in a file. */
async function untilKept(place: Place, text: string): Promise<void> {
  const folder = join(place.env.PAWL_HOME ?? '', 'terminal');
  const isKept = () =>
    existsSync(folder) && readdirSync(folder).some((name) => readFileSync(join(folder, name), 'utf8').includes(text));
  while (!isKept()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('pawl at a terminal', () => {
  it('H5 opens a conversation, shows the answer, and leaves with the way to go on', async () => {
    const server = await serve([{ text: 'Hello **there**, `you`.' }]);
    const screen = openScreen(makePlace(), [], { env: serverEnv(server.url) });
    await screen.sees(/manual · anthropic/);
    screen.write(`Hi${keys.enter}`);
    await screen.sees('Hello there, you.');
    await screen.sees(/✓ done in .* 1 step/);
    screen.write(keys.ctrlC);
    expect((await screen.ended).exitCode).toBe(0);
    expect(screen.all()).toMatch(/Session \S+\. Go on with it: pawl -c, or pawl -r/);
    expect(screen.all()).not.toContain('manual · anthropic');
  });

  it('H5 sends the prompt of the command line, and asks below the transcript before it writes', async () => {
    const place = makePlace(todoFiles);
    const screen = openScreen(place, [job], { env: demo });
    await screen.sees('write asks for approval');
    await screen.sees('y once');
    expect(existsSync(join(place.folder, 'TODO.md'))).toBe(false);
    screen.write('y');
    await screen.sees(/✓ done/);
    expect(readFileSync(join(place.folder, 'TODO.md'), 'utf8')).toContain('src/a.ts');
    expect(screen.all()).toMatch(/✓ write TODO\.md {2}\+\d+/);
    screen.write(keys.ctrlD);
    await screen.ended;
  });

  it('S1 goes on with the newest session, and shows what was said', async () => {
    const place = makePlace(todoFiles);
    const first = openScreen(place, ['How are you today?'], { env: demo });
    await first.sees(/✓ done/);
    first.write(`/quit${keys.enter}`);
    await first.ended;
    const second = openScreen(place, ['-c'], { env: demo });
    await second.sees('› How are you today?');
    await second.sees(/✓ done/);
    second.write(keys.ctrlD);
    expect((await second.ended).exitCode).toBe(0);
  });

  it('E5 cancels the turn with Esc, and keeps what is written meanwhile', async () => {
    const server = await commander('sleep 100');
    const screen = openScreen(makePlace(), ['--permission-mode', 'auto', 'go on'], { env: serverEnv(server.url) });
    await screen.sees('● bash sleep 100');
    screen.write('my draft');
    await screen.sees('› my draft');
    screen.write(keys.escape);
    await screen.sees('■ cancelled');
    expect(screen.screen()).toContain('› my draft');
    screen.write(keys.ctrlC);
    await screen.misses('my draft');
    screen.write(keys.ctrlC);
    await screen.ended;
  });

  it('E5 steers the running turn with Enter', async () => {
    const server = await commander('sleep 1; echo first');
    const screen = openScreen(makePlace(), ['--permission-mode', 'auto', 'go on'], { env: serverEnv(server.url) });
    await screen.sees('● bash sleep 1');
    screen.write(`and be quick${keys.enter}`);
    await screen.sees('↳ steers: and be quick');
    await screen.sees('All done.');
    expect(screen.all()).toContain('› and be quick');
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain('and be quick');
    screen.write(keys.ctrlD);
    await screen.ended;
  });

  it('P3 refuses with a reason, which the model is told', async () => {
    const server = await commander('rm everything');
    const screen = openScreen(makePlace(), ['go on'], { env: serverEnv(server.url) });
    await screen.sees('n refuse');
    screen.write('n');
    await screen.sees('Why not?');
    screen.write(`too dangerous${keys.enter}`);
    await screen.sees('All done.');
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain('too dangerous');
    screen.write(keys.ctrlD);
    await screen.ended;
  });

  it('P3 changes the arguments, which are judged anew', async () => {
    const place = makePlace();
    const server = await commander('touch a');
    const screen = openScreen(place, ['go on'], { env: serverEnv(server.url) });
    await screen.sees('e edit');
    screen.write('e');
    await screen.sees('"command": "touch a"');
    // Up to the line of the command, to its end, and another letter there.
    screen.write(`${keys.up}\u0005\u007f\u007fb"`);
    await screen.sees('"command": "touch b"');
    screen.write(keys.enter);
    await screen.sees('All done.');
    expect(existsSync(join(place.folder, 'b'))).toBe(true);
    expect(existsSync(join(place.folder, 'a'))).toBe(false);
    screen.write(keys.ctrlD);
    await screen.ended;
  });

  it('P3 adds a rule for the session, so that the same is not asked again', async () => {
    const server = await commander('touch a', 'touch a');
    const screen = openScreen(makePlace(), ['go on'], { env: serverEnv(server.url) });
    await screen.sees('s session');
    screen.write('s');
    await screen.sees('For the rest of this session, allow:');
    screen.write('1');
    await screen.sees('All done.');
    expect(screen.all().match(/✓ bash touch a/g)).toHaveLength(2);
    screen.write(keys.ctrlD);
    await screen.ended;
  });

  it('P3 does not take what was typed before the question for an answer', async () => {
    const server = await serve(async (request) => {
      if (request.number === 1) await new Promise((resolve) => setTimeout(resolve, 300));
      return request.number === 1
        ? { calls: [{ tool: 'bash', input: { command: 'touch a' } }] }
        : { text: 'All done.' };
    });
    const place = makePlace();
    const screen = openScreen(place, ['go on'], { env: serverEnv(server.url) });
    await screen.sees('Esc cancels');
    screen.write('yes, a word about yaks');
    await screen.sees('Tab answers this');
    expect(screen.screen()).toContain('› yes, a word about yaks');
    expect(existsSync(join(place.folder, 'a'))).toBe(false);
    screen.write(keys.tab);
    await screen.misses('Tab answers this');
    screen.write('y');
    await screen.sees('All done.');
    expect(screen.screen()).toContain('› yes, a word about yaks');
    screen.write(keys.ctrlC);
    await screen.misses('yaks');
    screen.write(keys.ctrlC);
    await screen.ended;
  });

  it('P7 answers the questions of the agent, one after another', async () => {
    const questions = [
      { header: 'Database', question: 'Which one?', options: [{ label: 'SQLite' }, { label: 'Postgres' }] },
      { header: 'Name', question: 'What is it called?' },
    ];
    const server = await serve((request) =>
      request.number === 1 ? { calls: [{ tool: 'ask', input: { questions } }] } : { text: 'All done.' },
    );
    const screen = openScreen(makePlace(), ['go on'], { env: serverEnv(server.url) });
    await screen.sees('n no answer');
    expect(screen.screen()).toContain('(1 of 2)');
    screen.write('2');
    await screen.sees('What is it called?');
    screen.write('w');
    await screen.sees('Your answer');
    screen.write(`shop${keys.enter}`);
    await screen.sees('All done.');
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toMatch(/Postgres[\s\S]*shop/);
    screen.write(keys.ctrlD);
    await screen.ended;
  });

  it('A1 switches the mode with Shift-Tab, and H8 runs commands for the person', async () => {
    const screen = openScreen(makePlace({ 'a.txt': 'x' }), [], { env: demo });
    await screen.sees('builder · manual');
    screen.write(keys.shiftTab);
    await screen.sees('builder · accept-edits');
    screen.write(`!ls${keys.enter}`);
    await screen.sees('› ! ls');
    await screen.sees(/^a\.txt$/m);
    screen.write(`/help${keys.enter}`);
    await screen.sees('the next mode');
    screen.write(`/nonsense${keys.enter}`);
    await screen.sees('There is no command /nonsense');
    screen.write('@a');
    await screen.sees('a.txt');
    screen.write(keys.tab);
    await screen.sees('› @a.txt');
    screen.write(keys.ctrlC);
    await screen.misses('› @a.txt');
    screen.write(keys.ctrlC);
    await screen.ended;
  });

  it('S1 takes files back, and goes back to before an input, which can be written anew', async () => {
    const place = makePlace(todoFiles);
    const screen = openScreen(place, ['--permission-mode', 'auto', job], { env: demo });
    await screen.sees(/✓ done/);
    expect(existsSync(join(place.folder, 'TODO.md'))).toBe(true);
    screen.write(`/undo${keys.enter}`);
    await screen.sees('The user took back the file changes of turn 1');
    expect(existsSync(join(place.folder, 'TODO.md'))).toBe(false);
    screen.write(`/redo${keys.enter}`);
    await screen.sees('The user restored the file changes of turn 1');
    expect(existsSync(join(place.folder, 'TODO.md'))).toBe(true);
    screen.write(`/rewind${keys.enter}`);
    await screen.sees('Go back to before');
    screen.write(keys.enter);
    await screen.sees(/a copy of/);
    await screen.sees(`› ${job}`);
    expect(screen.screen()).not.toContain('↳');
    screen.write(keys.ctrlC);
    await screen.misses(`› ${job}`);
    screen.write(keys.ctrlC);
    await screen.ended;
  });

  it('A1 E15 switches agent and model from lists, from the next step on', async () => {
    const screen = openScreen(makePlace(), [], { env: demo });
    await screen.sees('builder · manual');
    screen.write(`/agent${keys.enter}`);
    await screen.sees('type to search');
    screen.write('planner');
    await screen.sees('› planner');
    screen.write(keys.enter);
    await screen.sees(/planner · \S+ · demo/);
    screen.write(`/model ollama/nothing${keys.enter}`);
    await screen.sees('ollama/nothing');
    screen.write(keys.ctrlD);
    await screen.ended;
  });

  it('Ctrl-O shows all of the session on a screen of its own, and leaves the other as it was', async () => {
    const server = await commander(`printf '%s\\n' first $(seq 2 40) last; exit 3`);
    const screen = openScreen(makePlace(), ['--permission-mode', 'auto', 'go on'], { env: serverEnv(server.url) });
    await screen.sees('All done.');
    expect(screen.all()).not.toContain('  first');
    screen.write(keys.ctrlO);
    await screen.sees('q back');
    screen.write('/first');
    await screen.sees('/first');
    screen.write(keys.enter);
    await screen.sees(/^ {2}first$/m);
    screen.write('q');
    await screen.sees('All done.');
    expect(screen.bytes()).not.toContain('\u001b[3J');
    screen.write(keys.ctrlD);
    await screen.ended;
  });

  it('says what is missing where no model is chosen, with the terminal as it was', async () => {
    const screen = openScreen(makePlace(), []);
    expect((await screen.ended).exitCode).toBe(2);
    expect(screen.all()).toContain('No model is chosen');
    expect(screen.all()).not.toContain('›');
  });

  it('lets nothing of a model or a tool act on the terminal', async () => {
    const evil = 'A\u001b]0;owned\u0007\u001b[2J\u001b[1;1H\u009b31mZ';
    const server = await serve((request) =>
      request.number === 1
        ? { text: evil, calls: [{ tool: 'bash', input: { command: `printf '\\033]0;mine\\007\\033[2Jx'` } }] }
        : { text: 'All done.' },
    );
    const screen = openScreen(makePlace(), ['--permission-mode', 'auto', 'go on'], { env: serverEnv(server.url) });
    await screen.sees('All done.');
    expect(screen.title()).toBe('');
    expect(screen.all()).toContain('› go on');
    expect(screen.bytes()).not.toContain('\u001b[2J');
    expect(screen.bytes()).not.toContain('\u001b[3J');
    screen.write(keys.ctrlD);
    await screen.ended;
  });

  it('keeps the draft and gives the terminal back when it is ended from outside', async () => {
    const place = makePlace();
    const screen = openScreen(place, [], { env: demo });
    await screen.sees('builder · manual');
    screen.write('half a thought');
    await screen.sees('› half a thought');
    screen.kill('SIGTERM');
    expect((await screen.ended).exitCode).toBe(130);
    expect(screen.bytes()).toMatch(/\?2004l/);
    const again = openScreen(place, [], { env: demo });
    await again.sees('› half a thought');
    again.write(keys.ctrlC);
    await again.misses('half a thought');
    again.write(keys.ctrlC);
    await again.ended;
  });

  it('gives the terminal back when it is killed, and goes on where it stood', async () => {
    const place = makePlace();
    const server = await commander('sleep 100');
    const shell = openScreen(place, ['--norc', '-i'], { file: 'bash', env: { ...serverEnv(server.url), PS1: '$ ' } });
    await shell.sees(/\$$/);
    shell.write(`${node} ${program} --permission-mode auto "go on" & echo "pid $!"; fg >/dev/null\r`);
    await shell.sees('● bash sleep 100');
    const pid = Number(/pid (\d+)/.exec(shell.all())?.[1]);
    shell.write('half a thought');
    await shell.sees('› half a thought');
    await untilKept(place, 'half a thought');
    process.kill(pid, 'SIGKILL');
    await shell.sees('Killed');
    shell.write('stty -a | tr " " "\\n" | grep -cx -e opost -e icanon -e echo -e isig\r');
    await shell.sees(/^4$/m);
    expect(shell.bytes().slice(shell.bytes().lastIndexOf('half a thought'))).toContain('\u001b[<u');
    shell.write('clear\r');
    await shell.misses('half a thought');
    shell.write(`${node} ${program} -c\r`);
    await shell.sees('› half a thought');
    await shell.sees('› go on');
    shell.write(keys.ctrlC);
    await shell.misses('half a thought');
    shell.kill('SIGKILL');
  });

  it('stops with Ctrl-Z and goes on with fg', async () => {
    const shell = openScreen(makePlace(), ['--norc', '-i'], { file: 'bash', env: { ...demo, PS1: '$ ' } });
    await shell.sees(/\$$/);
    shell.write(`${node} ${program}\r`);
    await shell.sees('builder · manual');
    shell.write(`a draft${keys.ctrlZ}`);
    await shell.sees('Stopped');
    shell.write('echo "still $((40 + 2))"\r');
    await shell.sees('still 42');
    shell.write('fg\r');
    await shell.sees('› a draft');
    shell.write(keys.ctrlC);
    await shell.misses('› a draft');
    shell.write(keys.ctrlC);
    await shell.sees(/\$$/);
    shell.kill('SIGKILL');
  });
});

describe('a session that another process drives', () => {
  it('H5 is watched, answered and steered from a second terminal, and gone on with when the first is gone', async () => {
    const place = makePlace();
    const server = await commander('touch a');
    const env = serverEnv(server.url);
    const driver = start(place, ['run', '--attended', '--session-id', 'mine', 'go on'], { env });
    await driver.shown('waits for an answer');
    const screen = openScreen(place, ['watch', 'mine'], { env });
    await screen.sees('you are watching');
    await screen.sees('y once');
    screen.write('y');
    await screen.sees('All done.');
    expect((await driver.result).code).toBe(0);
    expect(existsSync(join(place.folder, 'a'))).toBe(true);
    await screen.sees('Nobody drives session mine any more');
    screen.write(`again${keys.enter}`);
    await screen.sees(/› again[\s\S]*All done\./);
    screen.write(keys.ctrlD);
    await screen.ended;
  });
});
