import { plainFormat, printingAwk, printingSed } from './scripts.ts';

/**
 * Commands that only read, as data. A command is on this list only if no option that its entry lets through makes it
 * write, run another program, wait for input for ever, or never end. Whatever is not listed does not count as reading.
 *
 * Left out on purpose: `arch` (that of macOS runs its operands), `env` and `printenv` (they show what may be secret), `hostname` (it
 * sets), `xxd` (it writes its second argument), `less`, `more`, `man` (they run programs), `tee`, `zcat` (it runs gzip),
 * `ps` (it shows the environment of others), and nearly all of `git`: a repository's own settings (fsmonitor, filters,
 * external diffs, gpg, a promisor remote) make even `git status` and `git log` run programs, and a few plain files
 * make a repository. What is left of `git` below looks up no object and no index; the others stand in
 * `contained-readers.ts`.
 */
export type Reader = {
  /**
   * Which options it may have: any, all but those that begin so, only these (with a `=` at their end: any value), or
   * only those that look so.
   */
  options: { any: true } | { except: readonly string[] } | { only: readonly string[] } | { like: RegExp };
  /** Options whose value may be the next word. */
  valued?: readonly string[];
  /** What its other words are. `pattern` is a text first and paths behind it. */
  operands: 'paths' | 'texts' | 'pattern';
  /** How many operands it may have; more would be written or set. */
  mostOperands?: number;
  /** Operands are only let through beside one of these options. */
  operandsOnlyWith?: readonly string[];
  /** What the first operand looks like. */
  firstOperand?: RegExp;
  /** What each operand looks like; none is left to the shell but names that a star stands for. */
  everyOperand?: RegExp;
  /** Words in front of which all else stands: a subcommand. */
  subcommand?: readonly string[];
  /** Options that may stand in front of the subcommand. */
  leading?: readonly string[];
  /** Whether stars may stand alone: a file that is named like a forbidden option would do little harm. */
  takesStars?: true;
  /** Options of one dash and many letters, as `find` has them. */
  hasLongWords?: true;
};

const any = { any: true } as const;
const paths: Reader = { options: any, operands: 'paths' };
const texts: Reader = { options: any, operands: 'texts' };
const version = (...only: string[]): Reader => ({
  options: { only: ['--version', ...only] },
  operands: 'texts',
  mostOperands: 0,
});
const rename = (names: string, reader: Reader): [string, Reader][] => names.split(/\s+/).map((name) => [name, reader]);

const findWords = `-H -L -P -a -amin -and -anewer -atime -cmin -cnewer -ctime -daystart -depth -empty -executable -false
  -follow -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -ls -maxdepth -mindepth -mmin -mount -mtime
  -name -newer -newermt -nogroup -not -nouser -o -or -path -perm -print -print0 -printf -prune -quit -readable -regex
  -regextype -samefile -size -true -type -uid -user -wholename -writable -xdev -xtype`.split(/\s+/);

export const readers: { readonly [command: string]: readonly Reader[] } = Object.fromEntries(
  [
    ...rename(
      `base32 cat cd cmp column comm cut df expand fold fmt head hexdump join ls nl od paste readlink realpath rev stat
       sum tac tsort unexpand`,
      paths,
    ),
    // What these look at may stand in a file.
    ...rename('du wc', { options: { except: ['--files0-from'] }, operands: 'paths', takesStars: true }),
    ...rename('b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum', {
      options: { except: ['-c', '--c'] },
      operands: 'paths',
      takesStars: true,
    }),
    ...rename(
      `: basename break continue dirname echo exit expr false groups id logname nproc numfmt pathchk pwd return seq
       shift tr true tty type uname uptime which whoami`,
      texts,
    ),
    ...rename('egrep fgrep grep', { options: any, operands: 'pattern' }),
    ...rename('awk gawk mawk nawk', {
      options: { like: /^-(?:F.*|v(?:[A-Za-z_][A-Za-z0-9_]*=.*)?)$/s },
      valued: ['-F', '-v'],
      operands: 'pattern',
      firstOperand: printingAwk,
    }),
    // A repository's own files choose which `yarn`, `pnpm`, `cargo` or `go` runs, so these are not asked for theirs.
    ...rename('cmake gcc make', version()),
    ...rename('npm perl php ruby', version('-v')),
  ]
    .map(([name, reader]): [string, Reader[]] => [name, [reader]])
    .concat([
      ['[', [{ options: { except: ['-v', '-R'] }, operands: 'paths' }]],
      // Its operators are looked at in a place of their own: some evaluate arithmetic, which may run something.
      ['[[', [{ options: any, operands: 'texts' }]],
      ['test', [{ options: { except: ['-v', '-R'] }, operands: 'paths' }]],
      ['command', [{ options: { only: ['-v', '-V'] }, operands: 'texts' }]],
      ['java', [version('-version')]],
      [
        'date',
        [
          {
            options: { only: ['-u', '--utc', '-R', '-I', '--iso-8601'] },
            operands: 'texts',
            firstOperand: /^\+/,
            mostOperands: 1,
          },
        ],
      ],
      // The one of macOS writes.
      ['base64', [{ options: { except: ['-o', '--o'] }, operands: 'paths' }]],
      ['bash', [version()]],
      ['node', [version('-v')]],
      ['python', [version('-V')]],
      ['python3', [version('-V')]],
      ['diff', [{ options: { except: ['-l', '--pa'] }, operands: 'paths' }]],
      ['fd', [{ options: { except: ['-x', '-X', '--ex', '--l', '-l'] }, operands: 'pattern' }]],
      [
        'file',
        [{ options: { except: '-C --c -m --m -f --f -p --pres -z -Z --u --no-s -S'.split(' ') }, operands: 'paths' }],
      ],
      ['find', [{ options: { only: findWords }, operands: 'paths', hasLongWords: true }]],
      [
        'git',
        [
          version(),
          {
            subcommand: ['rev-parse'],
            options: {
              only: '--show-toplevel --show-prefix --show-cdup --is-inside-work-tree --is-inside-git-dir --git-dir'.split(
                ' ',
              ),
            },
            operands: 'texts',
            mostOperands: 0,
          },
          { subcommand: ['branch'], options: { only: ['--show-current'] }, operands: 'texts', mostOperands: 0 },
        ],
      ],
      // A program that begins with modules, or comes from a file, reads files that it names itself; `env` shows what may be
      // secret, where it is no field and no name of a file.
      [
        'jq',
        [
          {
            options: { except: ['-f', '--fr', '-L', '--l'] },
            operands: 'pattern',
            everyOperand:
              /^(?!\s*(?:#|import\b|include\b|module\b)|[\s\S]*(?:modulemeta|(?<![.\w])(?:env|ENV)\b(?!\.json)))/,
          },
        ],
      ],
      ['printf', [{ options: { except: ['-v'] }, operands: 'texts', firstOperand: plainFormat }]],
      ['rg', [{ options: { except: ['--pre', '--hostname-bin', '-z', '--search-zip'] }, operands: 'pattern' }]],
      [
        'sed',
        [
          {
            options: { like: /^-(?:[nErsu]+|-(?:quiet|silent|regexp-extended|separate))$/ },
            operands: 'pattern',
            firstOperand: printingSed,
          },
        ],
      ],
      [
        'sleep',
        [{ options: { only: [] }, operands: 'texts', mostOperands: 1, firstOperand: /^[0-9]{1,3}(?:\.[0-9]+)?s?$/ }],
      ],
      ['sort', [{ options: { except: ['-o', '--o', '-T', '--t', '--co', '--files0-from'] }, operands: 'paths' }]],
      ['tail', [{ options: { except: ['-f', '-F', '--f', '--r'] }, operands: 'paths' }]],
      ['tree', [{ options: { except: ['-o', '-R', '--o'] }, operands: 'paths' }]],
      ['wait', [{ options: { only: ['-n'] }, operands: 'texts' }]],
      ['uniq', [{ options: any, operands: 'paths', mostOperands: 1 }]],
    ]),
);

/** Variables that may be set in front of any command, to a plain word. */
export const harmlessVariables: ReadonlySet<string> = new Set(
  'CI FORCE_COLOR LANG LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME NO_COLOR'.split(' '),
);
