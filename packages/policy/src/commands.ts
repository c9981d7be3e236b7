/**
 * What can be said of a shell command without the shell's grammar. Two readings stand side by side: a strict one, that
 * an allow needs, and a loose one, that a deny or an ask uses and that errs to the side of finding too much.
 */

/**
 * The only characters of a command that an allow can cover. All of them are literal to bash wherever they stand, with
 * one exception, `=` in the first word, which `plainWords` refuses. Not among them: everything that separates, expands,
 * quotes, redirects or comments, tabs and line breaks, and all bytes outside ASCII, some of which some versions of
 * bash take for blanks.
 */
const plainCommand = /^[A-Za-z0-9_./:,@%+= -]+$/;

/** The words of a command that has no shell syntax at all, or null for any other. */
export function plainWords(command: string): string[] | null {
  const text = command.replace(/^ +| +$/g, '');
  if (text === '' || !plainCommand.test(text)) return null;
  const words = text.split(/ +/);
  return words[0]?.includes('=') ? null : words;
}

/** Programs and shell words that run what stands after them, or what they are fed. */
const wrappers = new Set(
  `. ! ash bash builtin bunx busybox case chroot command coproc dash do doas docker elif else env eval exec find
   firejail flock for if ionice ksh lxc nice nix nohup npx nsenter parallel perl podman powershell pwsh python python3
   rlwrap run-parts script setpriv setsid sh source ssh stdbuf strace su sudo systemd-run taskset tcsh then time
   timeout toybox trap unbuffer unshare until watch while xargs xvfb-run zsh`.split(/\s+/),
);

/** Whether a program runs other commands that stand among its arguments. */
export function isWrapper(name: string): boolean {
  return wrappers.has(name);
}

/** Wrappers that may run what no reading of the command's text can show. */
const hidesCommands = new Set(
  (
    '. alias ash awk bash bind case compgen dash declare enable eval export for hash ksh let local mapfile parallel ' +
    'printf read readarray readonly sh shopt source tcsh test trap typeset unset xargs zsh ['
  ).split(' '),
);

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

const assignment = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/;

/** The words that make up the command itself, behind assignments in front of it. */
export function withoutAssignments(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !assignment.test(word));
  return first < 0 ? [] : words.slice(first);
}

/**
 * Everything in the text that might be a command, as words: quotes and backslashes are taken away and the rest is cut
 * at every character that could begin or end one.
 */
export function fragmentsOf(command: string): string[][] {
  return command
    .replace(/\\\r?\n/g, '')
    .replace(/["'\\]/g, '')
    .split(/[;&|<>(){}`$\n\r\0!#]/)
    .map((fragment) => fragment.split(/\s+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0);
}

/**
 * A command that consists of nothing but words, quoted text without expansions, the operators `; & | && ||`, line
 * breaks and simple redirects: its simple commands are then known for sure. Null for every other.
 */
export function sureCommands(command: string): string[][] | null {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let index = 0; index < command.length; index++) {
    const character = command[index] as string;
    if (character === "'" || character === '"') {
      const close = command.indexOf(character, index + 1);
      const quoted = close < 0 ? null : command.slice(index + 1, close);
      if (quoted === null || !/^[^\p{Cc}]*$/u.test(quoted) || (character === '"' && /[$`\\!]/.test(quoted)))
        return null;
      word = (word ?? '') + quoted;
      index = close;
    } else if (character === ' ' || character === '\t') endWord();
    else if (';&|\n'.includes(character)) endCommand();
    else if (character === '<' || character === '>') {
      if (command[index + 1] === '<' || command[index + 1] === '(') return null;
      endWord();
    } else if (/[A-Za-z0-9_./:,@%+=*?-]/.test(character)) word = (word ?? '') + character;
    else return null;
  }
  endCommand();
  for (const simple of commands) {
    const [name] = withoutAssignments(simple);
    if (name === undefined) continue;
    const isKnown = !/[*?=]/.test(name) && !hidesCommands.has(baseName(name));
    const isWrapped =
      isWrapper(baseName(name)) && simple.some((each) => /[*?]/.test(each) || hidesCommands.has(baseName(each)));
    if (!isKnown || isWrapped) return null;
  }
  return commands;
}
