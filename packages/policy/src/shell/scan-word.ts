/** The part of the strict reader that reads words: quotes, backslashes, expansions, and the substitutions in them. */
import type { Found, Span } from './reading.ts';

/** Expansions that neither assign, run, nor evaluate anything: `$x`, `${x}`, `${#x}`, `${x:-word}`, `${x%.ts}`. */
const plainExpansion =
  /\$\{(?:#?[A-Za-z_][A-Za-z0-9_]*|#?[0-9@*?$!-]|[A-Za-z_0-9]+(?::?[-+?]|##?|%%?|\^\^?|,,?|\/\/?)[A-Za-z0-9_.,/:*@%+ -]*)\}/y;
/** Arithmetic over numbers alone: a variable's value would be evaluated too, and may hold a substitution. */
const plainArithmetic = /\$\(\([0-9 ()+*/%-]*\)\)/y;
const variable = /\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/y;
/** A here-document that was announced and begins at the end of the line. */
export type Pending = { delimiter: string; isQuoted: boolean; stripsTabs: boolean };

export abstract class WordScanner {
  readonly found: Found = { commands: [], redirects: [], loops: [], doubts: [] };
  protected readonly text: string;
  protected at = 0;
  /** Where what is read now ends: the text, or the backtick that closes. */
  protected end: number;
  protected depth = -1;
  protected pending: Pending[] = [];

  constructor(text: string) {
    this.text = text;
    this.end = text.length;
  }

  protected doubt(reason: string): void {
    if (!this.found.doubts.includes(reason)) this.found.doubts.push(reason);
  }

  protected next(ahead = 0): string {
    return this.at + ahead < this.end ? (this.text[this.at + ahead] as string) : '';
  }

  protected match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0] ?? null;
  }

  protected skipBlanks(): void {
    while (this.next() === ' ' || this.next() === '\t') this.at++;
  }

  /** Commands up to the closing character, which is read too. */
  abstract list(closer: string): void;

  /** One word, with all that is quoted and substituted in it. */
  protected word(): Span {
    const from = this.at;
    while (this.at < this.end) {
      const character = this.next();
      if (/[ \t\n;&|()]/.test(character)) break;
      if (character === '<' || character === '>') {
        if (this.next(1) !== '(') break;
        if (this.at > from) this.doubt('a substitution stands within a word');
        this.at += 2;
        this.list(')');
      } else if (character === "'") this.raw();
      else if (character === '"') this.quoted();
      else if (character === '\\') {
        if (!/[ -~]/.test(this.next(1))) this.doubt('a backslash stands before a line break or the end');
        this.at += 2;
      } else if (character === '$') this.dollar(false);
      else if (character === '`') this.backticks();
      else {
        if (character > '~') this.doubt('letters that some shells read otherwise stand outside of quotes');
        this.at++;
      }
    }
    this.at = Math.min(this.at, this.end);
    if (this.pending.length > 0 && this.text.slice(from, this.at).includes('\n')) {
      this.doubt('a line ends within a word before a here-document begins');
    }
    return { from, to: this.at };
  }

  protected raw(): void {
    const end = this.text.indexOf("'", this.at + 1);
    const isClosed = end >= 0 && end < this.end;
    if (!isClosed) this.doubt('a quote is not closed');
    this.at = isClosed ? end + 1 : this.end;
  }

  protected quoted(): void {
    this.at++;
    while (this.at < this.end) {
      const character = this.next();
      if (character === '"') {
        this.at++;
        return;
      }
      if (character === '\\') {
        if (this.next(1) === '\n') this.doubt('a backslash stands before a line break or the end');
        this.at += 2;
      } else if (character === '$') this.dollar(true);
      else if (character === '`') this.backticks();
      else this.at++;
    }
    this.doubt('a quote is not closed');
  }

  protected dollar(isQuoted: boolean): void {
    const next = this.next(1);
    const plain = this.match(plainArithmetic) ?? this.match(plainExpansion) ?? this.match(variable);
    if (plain !== null) this.at += plain.length;
    else if (next === '(') {
      if (this.next(2) === '(') this.doubt('arithmetic may run what a variable holds');
      this.at += 2;
      this.list(')');
    } else if (next === '{' || next === '[') {
      this.doubt('an expansion of this kind is not read here');
      this.at += 2;
    } else if (next === "'" && !isQuoted) {
      this.at += 2;
      while (this.at < this.end && this.next() !== "'") this.at += this.next() === '\\' ? 2 : 1;
      if (this.at >= this.end) this.doubt('a quote is not closed');
      this.at++;
    } else {
      if (next === '"' && !isQuoted) this.doubt('a text for translation is not read here');
      this.at++;
    }
  }

  /** Its text ends at the next backtick, whatever stands before it. */
  protected backticks(): void {
    const outer = this.end;
    const close = this.text.indexOf('`', this.at + 1);
    const isClosed = close >= 0 && close < outer;
    if (!isClosed) this.doubt('a backtick is not closed');
    this.end = isClosed ? close : outer;
    this.at++;
    if (/[\\'"#]/.test(this.text.slice(this.at, this.end))) this.doubt('quotes stand between backticks');
    this.list('');
    this.at = Math.min(this.end + 1, outer);
    this.end = outer;
  }
}
