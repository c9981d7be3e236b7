import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowsCommand, findsCommand } from '../src/index.ts';

describe('P1: an allow of a command', () => {
  it.each([
    ['git *', 'git log', true],
    ['git *', 'git', true],
    ['git *', '  git   status  ', true],
    ['git *', 'gitx log', false],
    ['git *', '/tmp/git log', false],
    ['npm test', 'npm test', true],
    ['npm test', 'npm  test', true],
    ['npm test', 'npm test --watch', false],
    ['npm test', 'npm testx', false],
    ['npm run test *', 'npm run test a b', true],
    ['npm run test *', 'npm run tester', false],
    ['npm run *:unit', 'npm run test:unit', true],
    ['npm * --dry-run', 'npm publish --dry-run', true],
    ['npm * --dry-run', 'npm publish now --dry-run', false],
    ['cat src/*', 'cat src/a.ts', true],
    ['cat src/*', 'cat src/../secret', false],
    ['cat src/*', 'cat src/..', false],
    ['cat src/*', 'cat src/a/b', false],
    ['ls *', 'ls', true],
    ['npm *', 'X=1 npm test', false],
    ['*', 'anything at all', true],
  ])('%s and %j: %s', (pattern, command, expected) => {
    expect(allowsCommand(pattern, command)).toBe(expected);
  });

  // Scenarios 39, 40, 43, 45 and 48.
  it.each([
    'git log && curl x | sh',
    'git log; curl x',
    'git log || curl x',
    'git log & curl x',
    'git log\ncurl x',
    'git log\r\ncurl x',
    'git log | sh',
    'git log > ~/.bashrc',
    'git log < x',
    'git log $(rm x)',
    'git log `rm x`',
    'git log <(ls)',
    'git { rm x; }',
    'git log \\\n; rm x',
    'git log "$(rm x)"',
    "git log $'\\x3b'",
    'git log #',
    'git ~/x',
    'git *.ts',
    'git a?',
    'git [ab]',
    'git {a,b}',
    'git !rm',
    'git\tlog',
    'git log\0rm',
    'git log\u00a0',
    'git log\u0085rm',
    'git checkout $(touch x)',
    'PAGER=x git log',
    'git=x log',
    '',
    '   ',
  ])('does not cover %j', (command) => {
    for (const pattern of ['git *', '*', command]) expect(allowsCommand(pattern, command)).toBe(false);
  });

  it('covers no text with any shell metacharacter, whatever the pattern and wherever it stands', () => {
    const metacharacter = fc.constantFrom(...';&|<>()$`\\"\'{}*?[]!#~\n\r\t\0\v\f\u0007\u00a0\u2028');
    const plain = fc.stringMatching(/^[a-z ./=-]{0,12}$/);
    fc.assert(
      fc.property(
        plain,
        metacharacter,
        plain,
        fc.constantFrom('*', 'a *', '* *'),
        (before, character, after, pattern) => {
          const command = before + character + after;
          const isOnlySpace = command.trim() === command.replace(character, '').trim() && character === ' ';
          expect(allowsCommand(pattern, command) && !isOnlySpace).toBe(false);
          expect(allowsCommand(command, command)).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('P1: a deny of a command', () => {
  // Scenarios 39 to 41, 43 and 44.
  it.each([
    'rm -rf x',
    'rm -fr x',
    'rm -r -f x',
    'rm -f -r x',
    'rm -Rf x',
    'rm --recursive --force x',
    'rm --rec -f x',
    'rm x -rf',
    'rm -v -rf -- x',
    '/bin/rm -rf x',
    '../../bin/rm -rf x',
    '\\rm -rf x',
    'r\\m -rf x',
    "'rm' -rf x",
    'r"m" -r"f" x',
    'X=1 rm -rf x',
    'X=1 Y=2 rm -rf x',
    'sudo rm -rf x',
    'sudo -u root env A=b rm -rf x',
    'timeout 5 rm -rf x',
    'timeout -k 1 5 nice -n 3 /bin/rm -rf x',
    'ls | xargs rm -rf',
    'xargs -0 rm -rf',
    'find . -exec rm -rf {} +',
    'nohup rm -rf x &',
    'command rm -rf x',
    'bash -c "rm -rf x"',
    "sh -c 'cd /; rm -rf x'",
    'eval rm -rf x',
    'ssh host "ls; rm -rf x"',
    'git log && rm -rf x',
    'git log; rm -rf x',
    'git log || rm -rf x',
    'git log & rm -rf x',
    'git log\nrm -rf x',
    'git log\r\nrm -rf x',
    'echo $(rm -rf x)',
    'echo `rm -rf x`',
    'echo "$(rm -rf x)"',
    '{ rm -rf x; }',
    '(rm -rf x)',
    'cat <(rm -rf x)',
    'rm \\\n-rf x',
    'rm -rf $HOME',
    'rm -rf "$HOME"',
    'if true; then rm -rf x; fi',
    'while rm -rf x; do :; done',
    '! rm -rf x',
    'time rm -rf x',
    `${'true; '.repeat(50)}rm -rf x`,
    'X=`rm -rf x` npm --version',
    '> x rm -rf y'.replace('> x ', 'true > x; '),
  ])('of rm -rf finds %j', (command) => {
    expect(findsCommand('rm -rf *', command)).toBe('yes');
  });

  it.each([
    ['rm -rf *', 'rm -r x'],
    ['rm -rf *', 'rmdir -rf'],
    ['rm *', 'git commit -m "remove"'],
    ['rm *', 'npm run rms'],
    ['rm *', 'grep -rn rm src'],
    ['git push *', 'git log push'.replace(' push', '')],
    ['git push --force *', 'git push origin main'],
    ['npm publish', 'npm pack'],
  ])('of %s leaves %j alone', (pattern, command) => {
    expect(findsCommand(pattern, command)).toBe('no');
  });

  it.each([
    ['npm publish', 'npm publish --tag next'],
    ['npm publish', 'npm --loglevel silent publish'],
    ['git push --force *', 'git push -f origin'],
    ['git push --force *', 'git -C /x push origin --force'],
    ['git push --force *', 'git push --force-with-lease'],
    ['git push *', 'git -c a=b -C /x push'],
    ['curl *', 'wget x || /usr/bin/curl y'],
    ['* --upload-pack=*', 'git fetch --upload-pack=x'],
    ['find -delete', 'find . -delete'],
  ])('of %s finds %j', (pattern, command) => {
    expect(findsCommand(pattern, command)).toBe('yes');
  });

  it.each([
    ['rm *', 'mywrapper rm -rf x'],
    ['rm *', 'git rm x'],
    ['rm *', 'git commit -m "tidy; rm x"'],
  ])('of %s is in doubt about %j', (pattern, command) => {
    expect(findsCommand(pattern, command)).toBe('maybe');
  });

  it('is in doubt about a command too long to be read', () => {
    expect(findsCommand('rm *', 'a'.repeat(20_000))).toBe('maybe');
  });

  it('finds the denied command however it is wrapped and joined', () => {
    const wrap = fc.constantFrom<(command: string) => string>(
      (command) => `sudo ${command}`,
      (command) => `A=1 ${command}`,
      (command) => `true && ${command}`,
      (command) => `ls | ${command}`,
      (command) => `{ ${command}; }`,
      (command) => `( ${command} )`,
      (command) => `echo $( ${command} )`,
      (command) => `timeout 5 ${command}`,
      (command) => `bash -c '${command}'`,
      (command) => `true\n${command}`,
      (command) => `if true; then ${command}; fi`,
      (command) => `env -i ${command}`,
      (command) => `${command} > out.txt`,
      (command) => `${command} # comment`,
    );
    fc.assert(
      fc.property(
        fc.array(wrap, { maxLength: 4 }),
        fc.constantFrom('rm -fr x', '/usr/bin/rm x -r -f', '\\rm -rf x'),
        (wraps, denied) => {
          const command = wraps.reduce<string>((inner, each) => each(inner), denied);
          expect(findsCommand('rm -rf *', command)).toBe('yes');
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('a long command made to be slow is not', () => {
    const started = performance.now();
    findsCommand('rm x x x x x -rf *', `rm ${'-a x '.repeat(3000)}`);
    findsCommand('rm -rf *', 'rm '.repeat(5000));
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
