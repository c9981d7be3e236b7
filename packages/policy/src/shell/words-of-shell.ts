/** Words that mean something to the shell itself. */

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

/**
 * Programs that run what they are given as text, after `-c` or from their input; with whether they read it as bash does,
 * as POSIX says, or in ways of their own.
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

/** Programs that hand all their words, joined by spaces, to a shell; how many words of their own stand before. */
export const textRunners: { readonly [name: string]: number } = {
  eval: 0,
  watch: 0,
  ssh: 1,
  mosh: 1,
  parallel: 0,
  at: 0,
};

/** Variables that may be set in front of any command, to a plain word. */
const harmless: ReadonlySet<string> = new Set(
  'CI FORCE_COLOR LANG LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME NO_COLOR'.split(' '),
);

/** Assignments in front of a command that change nothing but how its text looks. */
export const isHarmlessAssignment = ({ text }: { text: string | null }): boolean => {
  const [, name = '', value = ''] = /^([A-Z_]+)=([A-Za-z0-9_.-]*)$/.exec(text ?? '') ?? [];
  return harmless.has(name) && !value.includes('..');
};

/**
 * Variables that no program looks at. Whatever a shell is given in its environment it hands on, changed too; names of
 * that kind have capitals, or an underscore (`http_proxy`).
 */
export const isPlainVariable = (name: string): boolean => /^[a-z][a-z0-9]*$/.test(name);

/** What bash computes as soon as it is set, as `declare -i` makes of any other. A test asks bash for them. */
const computedVariables: ReadonlySet<string> = new Set(
  'BASHPID EPOCHSECONDS EUID HISTCMD LINENO OPTIND PPID RANDOM SECONDS SRANDOM UID'.split(' '),
);

/** Whether setting a variable may run something: an index that holds a substitution is evaluated with the number. */
export const isComputed = (name: string, value: { text: string | null } | null): boolean => {
  const text = value?.text ?? null;
  if (computedVariables.has(name)) return text === null || !/^[0-9]*$/.test(text);
  // Some later command might take it for a number.
  return text !== null && /\[[\s\S]*(?:\$\(|`)/.test(text);
};
