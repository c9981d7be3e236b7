/** Small grammars of the scripts that programs take as words: what they accept prints, and reads, writes, sets and runs nothing else. */

/**
 * What stands between two delimiters. In brackets stands neither a delimiter nor a `]` first, nor a `[` but that of a
 * class: where such an expression ends, one `sed` sees otherwise than the next, and this otherwise than any.
 */
const regex = (delimiter: string) =>
  String.raw`(?:[^${delimiter}\\\n[]|\\[^\n]|\[(?!\^?\])(?:\[:[a-z]+:\]|\\[a-zA-Z]|[^\][\\\n${delimiter}])+\])+`;
const replacement = (delimiter: string) => String.raw`(?:[^${delimiter}\\\n]|\\[^\n])*`;
const substitutions = Array.from('/|,#:@', (each) => {
  const delimiter = each === '|' ? String.raw`\|` : each;
  return `s${delimiter}${regex(delimiter)}${delimiter}${replacement(delimiter)}${delimiter}[gpIi0-9]*`;
});
const address = String.raw`(?:[0-9]+(?:~[0-9]+)?|\$|/${regex('/')}/I?)`;
const range = String.raw`${address}(?:,[ ]*(?:${address}|[+~][0-9]+))?[ \t]*(?:![ \t]*)?`;
const command = String.raw`(?:[pdqQ=lnNDPhHgGx]|${substitutions.join('|')})[ \t]*(?=[;\n}]|$)`;

/** Of its commands `w`, `s///w` and `r` open files and `e` and `s///e` run programs; labels are left out too. */
export const printingSed = new RegExp(String.raw`^(?:[;\s}]|(?:${range})?(?:\{|${command}))*$`);

/** That of bash sets with `%n` the variable that the next word names: `PATH` to `1`, and so to a folder of the project. */
export const plainFormat = /^(?:[^%]|%%|%[-+ #0'*.1-9hjlLtz]*(?:[^-+ #0'*.1-9hjlLtzn]|$))*$/;

/**
 * A program of `jq` reads its input and prints. That it begins with modules, or asks for their text, would read files
 * that it names itself; `env` shows what may be secret, where it is no field and no name of a file.
 */
export const plainJq =
  /^(?!\s*(?:#|import\b|include\b|module\b)|[\s\S]*(?:modulemeta|(?<![.\w])(?:env|ENV)\b(?!\.json)))/;

/** Tokens of awk. In brackets of an expression stands no delimiter, because not every awk ends the expression alike. */
const awkToken =
  /\s+|#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"|[A-Za-z_][A-Za-z0-9_]*|[0-9.]+(?:[eE][-+]?[0-9]+)?|&&|\|\||[-+*/%^<>=!]=|\+\+|--|!~|[-+*/%^<>=!~?:,;(){}[\]$]/y;
const awkExpression = /\/(?!=)(?:[^/\\\n[]|\\[^\n]|\[(?!\^?\])(?:\[:[a-z]+:\]|[^\][\\\n/])+\])*\//y;

/** Words of the language that print, compute and branch. */
const awkWords = new Set(
  `BEGIN END if else while do for in break continue next exit return delete print printf function func`.split(/\s+/),
);
const awkFunctions = new Set(
  `atan2 cos exp gensub gsub index int length log match rand sin split sprintf sqrt srand strftime sub substr systime
   tolower toupper mktime asort asorti and or xor lshift rshift compl strtonum`.split(/\s+/),
);
const awkVariables = new Set(
  `NR NF FNR FS OFS RS ORS FILENAME SUBSEP RSTART RLENGTH OFMT CONVFMT IGNORECASE RT FIELDWIDTHS FPAT`.split(/\s+/),
);

/**
 * Whether a program of awk prints and computes and does nothing else. Pipes, `getline`, `@` and calls of what is not
 * known are not in this grammar, nor are lists of arguments and of the environment; `>` is, but behind no `print`.
 */
export function isPrintingAwk(script: string): boolean {
  let isPrinting = false;
  let slash: Slash = 'expression';
  let called: string | null = null;
  let last = '';
  /** Of each bracket that is open, whether a condition stands in it. */
  const brackets: boolean[] = [];
  for (let at = 0; at < script.length; ) {
    const isSlash = script[at] === '/';
    if (isSlash && slash === 'unsure') return false;
    const token = tokenAt(isSlash && slash === 'expression' ? awkExpression : awkToken, script, at);
    if (token === null) return false;
    at += token.length;
    if (token.includes('\n')) slash = 'expression';
    if (/^(?:\s|#)/.test(token)) continue;
    // A name that is none of these is a variable, and cannot be called.
    if (called !== null && token === '(') return false;
    called = /^[A-Za-z_]/.test(token) && !awkWords.has(token) && !awkFunctions.has(token) ? token : null;
    if (called !== null && !isPlainAwkVariable(called)) return false;
    if (/^(?:print|printf)$/.test(token)) isPrinting = true;
    else if (/^[;}]$/.test(token)) isPrinting = false;
    if (isPrinting && /^>/.test(token)) return false;
    if (token === '(') brackets.push(/^(?:if|while|for)$/.test(last));
    const isCondition = token === ')' && brackets.pop() !== false;
    slash = slashBehind(token, isCondition);
    last = token;
  }
  return true;
}

/** What a slash means: it begins an expression, or divides, or it is not the same for every awk. */
type Slash = 'expression' | 'division' | 'unsure';

function slashBehind(token: string, isCondition: boolean): Slash {
  if (isCondition || /^(?:"|\+\+|--)/.test(token) || awkFunctions.has(token)) return 'unsure';
  if (/^[)\]]$/.test(token)) return 'division';
  return /^[A-Za-z_0-9.]/.test(token) && !awkWords.has(token) ? 'division' : 'expression';
}

function tokenAt(pattern: RegExp, script: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(script)?.[0] ?? null;
}

const isPlainAwkVariable = (name: string) =>
  !awkRunning.has(name) && (awkVariables.has(name) || /^(?:[a-z_][a-z0-9_]*|[A-Z][a-z0-9_]*)$/.test(name));

/** Words of the language that do more, without a bracket behind them too. */
const awkRunning = new Set('close fflush getline nextfile system switch case default extension'.split(' '));

/** Operators of `[` with one operand. `-v` and `-R` evaluate the index of a name. */
const unary = /^-[bcdefghknprstuwxzGLNOS]$/;
const binary = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

type Given = { text: string | null; raw: string; isSingle: boolean; isQuoted: boolean };

/** Whether `[` or `test` compares, whatever stands in its operands: how many words there are says what each one is. */
export function isPlainTest(words: readonly Given[]): boolean {
  const [first, ...rest] = words;
  if (words.length > 1 && first?.text === '!') return isPlainTest(rest);
  if (!words.every(({ isSingle }) => isSingle)) return false;
  if (words.length === 2) return unary.test(first?.text ?? '');
  return words.length < 2 || (words.length === 3 && binary.test(rest[0]?.text ?? ''));
}

/** A number, of which the shell knows that it is one. */
const isCount = ({ raw }: Given) => /^(?:-?[0-9]+|"?\$(?:[#?]|\{#[A-Za-z_@*]+\})"?)$/.test(raw);

/** The same for `[[`, whose arithmetic operators evaluate what their operands hold, and may run it. */
export function isPlainCondition(words: readonly Given[]): boolean {
  if (words.at(-1)?.raw !== ']]') return false;
  let operands: Given[] = [];
  for (const word of words) {
    const { raw, text, isQuoted } = word;
    if (!/^(?:&&|\|\||\]\])$/.test(raw) || isQuoted) {
      if (raw === '!' && operands.length === 0) continue;
      operands.push(word);
      continue;
    }
    const [left, middle, right] = operands;
    const operator = (operands.length === 2 ? left : middle)?.raw ?? '';
    const isFine =
      operands.length === 1 ||
      (operands.length === 2 && unary.test(operator)) ||
      (operands.length === 3 &&
        (/^(?:==?|!=|=~|<|>|-nt|-ot|-ef)$/.test(operator) ||
          (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator) && isCount(left as Given) && isCount(right as Given))));
    if (!isFine || text === null) return false;
    operands = [];
  }
  return true;
}
