/**
 * Programs that run other programs, as data: how far their own words reach, and where the others begin. A wrapper with
 * a word in front of the command that is not listed here is a doubt.
 */
export type Wrapper = {
  /** Short options without a value, and with one (`-n 5`, `-n5`). */
  flags: string;
  valued: string;
  /** The same for long options (`--signal KILL`, `--signal=KILL`). */
  longFlags: readonly string[];
  longValued: readonly string[];
  /** Words of its own between its options and the command: `timeout 5`. */
  ownWords: number;
  /** Whether variables may be set in front of the command: `env X=1`. */
  setsVariables: boolean;
  /** Whether it adds words that nobody knows: `xargs`. */
  addsWords: boolean;
  /** Whether a rule must allow the wrapper itself, because it changes more than how long or how nicely something runs. */
  needsRule: boolean;
};

const wrapper = (own: Partial<Wrapper> = {}): Wrapper => ({
  flags: '',
  valued: '',
  longFlags: [],
  longValued: [],
  ownWords: 0,
  setsVariables: false,
  addsWords: false,
  needsRule: false,
  ...own,
});

export const wrappers: { readonly [name: string]: Wrapper } = {
  builtin: wrapper(),
  busybox: wrapper({ needsRule: true }),
  bunx: wrapper({ longFlags: ['bun'], needsRule: true }),
  caffeinate: wrapper({ flags: 'dimsu', valued: 'tw' }),
  chroot: wrapper({ ownWords: 1, needsRule: true }),
  chrt: wrapper({ flags: 'bfiorm', ownWords: 1, needsRule: true }),
  command: wrapper({ flags: 'p' }),
  doas: wrapper({ flags: 'nL', valued: 'uC', needsRule: true }),
  env: wrapper({
    flags: 'i0v',
    valued: 'u',
    longFlags: ['ignore-environment', 'null', 'debug'],
    longValued: ['unset'],
    setsVariables: true,
  }),
  exec: wrapper({ flags: 'cl', valued: 'a' }),
  flock: wrapper({ flags: 'nsxeuoF', valued: 'wE', ownWords: 1, needsRule: true }),
  ionice: wrapper({ flags: 't', valued: 'cn', longFlags: ['ignore'], longValued: ['class', 'classdata'] }),
  nice: wrapper({ valued: 'n', longValued: ['adjustment'] }),
  nohup: wrapper(),
  npx: wrapper({ flags: 'yq', longFlags: ['yes', 'no', 'quiet', 'no-install'], needsRule: true }),
  setsid: wrapper({ flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] }),
  stdbuf: wrapper({ valued: 'ioe', longValued: ['input', 'output', 'error'] }),
  sudo: wrapper({
    flags: 'AbEHknPSN',
    valued: 'ugpCTh',
    longFlags: ['non-interactive', 'preserve-env', 'set-home', 'stdin', 'background'],
    longValued: ['user', 'group', 'prompt', 'host'],
    setsVariables: true,
    needsRule: true,
  }),
  taskset: wrapper({ flags: 'c', longFlags: ['cpu-list'], ownWords: 1 }),
  time: wrapper({ flags: 'p', setsVariables: true }),
  timeout: wrapper({
    flags: 'fpv',
    valued: 'ks',
    longFlags: ['preserve-status', 'foreground', 'verbose'],
    longValued: ['kill-after', 'signal'],
    ownWords: 1,
  }),
  toybox: wrapper({ needsRule: true }),
  unbuffer: wrapper({ flags: 'p' }),
  xargs: wrapper({
    flags: '0rtx',
    valued: 'adELnPs',
    longFlags: ['null', 'no-run-if-empty', 'verbose', 'exit'],
    longValued: ['arg-file', 'delimiter', 'eof', 'max-lines', 'max-args', 'max-procs', 'max-chars'],
    addsWords: true,
  }),
};

/**
 * Programs that run what they are given as text: after `-c`, or from their input when they are given no file; with
 * whether they read it as bash does, as POSIX says, or in ways of their own.
 */
export const shells: { readonly [name: string]: 'bash' | 'posix' | 'other' } = {
  ash: 'posix',
  bash: 'bash',
  dash: 'posix',
  ksh: 'other',
  mksh: 'other',
  sh: 'posix',
  yash: 'other',
  zsh: 'other',
};

/** Programs that run a program in their own language from their input when they are given no file. */
export const interpreters: ReadonlySet<string> = new Set(
  'bun csh deno fish irb lua node nodejs osascript perl php powershell psql pwsh python python2 python3 Rscript ruby sqlite3 tclsh tcsh'.split(
    ' ',
  ),
);

/** Programs that hand all their words, joined by spaces, to a shell; how many words of their own stand before. */
export const textRunners: { readonly [name: string]: number } = {
  eval: 0,
  watch: 0,
  ssh: 1,
  mosh: 1,
  parallel: 0,
  at: 0,
};

/** Words of the shell, and programs, after which nothing that follows can be known for certain. */
export const clouding: ReadonlySet<string> = new Set(
  '. alias bind compgen complete coproc dirs enable fc function hash let logout mapfile readarray select shopt source suspend unalias'.split(
    ' ',
  ),
);

/** The shell's own words. Behind `time`, and unquoted, they begin something else than a program. */
export const reservedWords: ReadonlySet<string> = new Set(
  '! [[ ]] case coproc do done elif else esac fi for function if in select then time until while { }'.split(' '),
);
