import { describe, expect, it } from 'vitest';
import { isAsking, needsTerminal } from '../src/shell/terminal.ts';
import { createWorkspace } from './workspace.ts';

describe('T4: programs that want a terminal', () => {
  it.each([
    'vim a.txt',
    'sudo vim a.txt',
    'cd src && nano x',
    'FOO=1 /usr/bin/htop',
    'top',
    'echo $(emacs x)',
    'tmux attach',
  ])('are not run: %s', async (command) => {
    expect(await needsTerminal(command)).toMatch(/ needs a terminal, and commands have none\. It was not run\./);
  });

  it.each([
    'vim -es -c q',
    'nvim --headless +q',
    'emacs --batch -l x.el',
    'top -b -n 1',
    'git commit -m "use vim"',
    'which vim',
    'grep vim README',
    'apt install nano',
    'tmux new-session -d',
    'less README',
    'npm test',
  ])('are run where they need none: %s', async (command) => {
    expect(await needsTerminal(command)).toBeNull();
  });

  it('are said at once, with nothing run', async () => {
    const { call } = createWorkspace();
    expect(await call('bash', { command: 'vim x' })).toMatchObject({
      isError: true,
      content: expect.stringContaining('Use edit or write'),
    });
  });
});

describe('T4: commands that wait for an answer', () => {
  it.each([
    'Password: ',
    "root@host's password: ",
    'Enter passphrase for key /root/.ssh/id: ',
    'Continue? [y/N] ',
    'Are you sure you want to continue connecting (yes/no/[fingerprint])? ',
    'Do you want to continue? [Y/n]',
    'Press any key to continue . . .',
    '? Project name: ›',
  ])('are told by the end of their output: %s', (text) => {
    expect(isAsking(`much before\n${text}`)).toBe(true);
  });

  it.each([
    '',
    'Listening on port 3000',
    'the password: x was wrong\nbut we go on',
    'done (yes/no was asked before)\nrunning',
  ])('are not seen everywhere: %s', (text) => {
    expect(isAsking(text)).toBe(false);
  });

  it('are told that nobody answers, when their time is over', async () => {
    const { call } = createWorkspace();
    const { content } = await call('bash', { command: 'printf "Continue? [y/N] "; sleep 100', timeoutMs: 2000 });
    expect(content).toContain('It seems to wait for an answer, and commands get none');
  });
});
