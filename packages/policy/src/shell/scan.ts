/**
 * The strict reader: a scanner for the part of bash that leaves no room for two opinions. Whatever lies outside
 * (`case`, `((`, arrays, extended globs, `${x@P}`…) is a doubt, and the scan goes on as well as it can. Written after
 * "Shell Grammar" and "Definitions" of bash(1); it knows nothing of the grammar that reads the same text beside it.
 */
import type { Found, FoundCommand, Span } from './reading.ts';
import { WordScanner } from './scan-word.ts';

const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
const redirect = /&>>|&>|(?:<<<|<<-|<<|>>|>\||>&|<&|<|>)/y;
const separator = /&&|\|\||\|&|;;&?|;&|[;&|]/y;
const openers = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', '{', '!']);
const closers = new Set(['fi', 'done', '}']);
const unread = new Set(['case', 'coproc', 'esac', 'function', 'in', 'select', ']]']);
const deepest = 40;

/** What stands in a list of commands so far. */
type ScanPosition = {
  command: FoundCommand | null;
  /** Behind `fi`, `done`, `}` and `)` only operators and redirects may stand. */
  isClosed: boolean;
  groups: number;
  /** `if` and loops that are open. */
  compounds: number;
  commands: number;
  hasDocument: boolean;
};

export function scan(text: string): Found {
  const scanner = new Scanner(text);
  scanner.list('');
  return scanner.found;
}

/**
 * Whether a line of a here-document looks the same to a bash that does not know it for one when it looks for the end of
 * the brackets around it (3.2, as on macOS): no quotes, and brackets only in pairs, with nothing that could hide them.
 */
function isBalanced(line: string): boolean {
  if (/['"`\\]/.test(line)) return false;
  if (!/[()]/.test(line)) return true;
  let depth = 0;
  for (const character of line) {
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) return false;
  }
  return depth === 0 && !/[$#{}]/.test(line);
}

class Scanner extends WordScanner {
  /** Commands up to the closing character, which is read too. */
  list(closer: string): void {
    this.depth++;
    if (this.depth > deepest) {
      this.doubt('it is nested too deeply');
      this.at = this.end;
    }
    const place: ScanPosition = {
      command: null,
      isClosed: false,
      groups: 0,
      compounds: 0,
      commands: 0,
      hasDocument: false,
    };
    let isComplete = closer === '';
    while (this.at < this.end) {
      if (closer !== '' && this.next() === closer) {
        this.at++;
        isComplete = true;
        break;
      }
      this.token(place);
    }
    // Bash puts such a substitution together anew, and some of its versions lose the operators behind the document.
    if (place.hasDocument && this.depth > 0 && place.commands > 1) {
      this.doubt('a here-document in brackets is not alone');
    }
    if (!isComplete || place.groups !== 0) this.doubt('it ends before what it opened is closed');
    this.depth--;
    if (this.depth < 0 && this.pending.length > 0) this.doubt('a here-document has no end');
  }

  protected token(place: ScanPosition): void {
    const character = this.next();
    if (character === ' ' || character === '\t') this.at++;
    else if (character === '\n') {
      this.at++;
      if (this.pending.length > 0) place.hasDocument = true;
      this.hereDocuments();
      this.endCommand(place, '\n');
    } else if (character === '#') this.comment(place);
    else if (/[<>&]/.test(character) && !(character !== '&' && this.next(1) === '(')) {
      const operator = this.match(redirect);
      if (operator === null) this.operator(place);
      else {
        this.at += operator.length;
        // Behind it no word is one of the shell's own any more.
        if (!place.isClosed) this.begin(place);
        this.redirect(operator);
      }
    } else if (character === ';' || character === '|') this.operator(place);
    else if (character === '(') this.bracket(place);
    else if (character === ')') {
      this.doubt('a bracket is closed that was not opened');
      this.at++;
      this.endCommand(place, ')');
    } else this.placeWord(place, this.word());
  }

  protected operator(place: ScanPosition): void {
    const operator = this.match(separator) ?? this.next();
    if (operator.startsWith(';') && operator !== ';') this.doubt(`${operator} is not read here`);
    this.at += operator.length;
    this.endCommand(place, operator);
  }

  protected endCommand(place: ScanPosition, operator: string): void {
    if (place.command !== null) place.command.next = operator;
    place.command = null;
    place.isClosed = false;
  }

  protected bracket(place: ScanPosition): void {
    const { command } = place;
    const isDefinition = command !== null && this.isDefinition(command);
    if (isDefinition) {
      this.at = this.text.indexOf(')', this.at) + 1;
      this.found.commands = this.found.commands.filter((each) => each !== command);
      place.command = null;
      return;
    }
    if (command !== null || place.isClosed) this.doubt('a bracket stands where none belongs');
    if (this.next(1) === '(') this.doubt('arithmetic may run what a variable holds');
    this.at++;
    this.list(')');
    place.isClosed = true;
  }

  /** `name ()`: the bracket belongs to the definition of a function. */
  protected isDefinition({ words, assignments }: FoundCommand): boolean {
    const [name, ...others] = words;
    if (name === undefined || others.length > 0 || assignments.length > 0) return false;
    const isName = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(this.text.slice(name.from, name.to));
    return isName && this.match(/\([ \t]*\)/y) !== null;
  }

  protected placeWord(place: ScanPosition, span: Span): void {
    const raw = this.text.slice(span.from, span.to);
    // The number of a descriptor, in front of its redirect.
    if (/^[0-9]+$/.test(raw) && /[<>]/.test(this.next())) return;
    if (/^\{.*\}$/.test(raw) && /[<>]/.test(this.next())) this.doubt('a descriptor has a name');
    const isFirst = place.command === null;
    if (place.isClosed && !closers.has(raw) && !openers.has(raw)) this.doubt('words stand behind the end of a group');
    if (isFirst && openers.has(raw)) {
      if (raw === '{') place.groups++;
      if (/^(?:if|while|until)$/.test(raw)) place.compounds++;
      place.isClosed = false;
      return;
    }
    if (isFirst && closers.has(raw)) {
      if (raw === '}' && --place.groups < 0) this.doubt('a group is closed that was not opened');
      if (raw !== '}') place.compounds--;
      place.isClosed = true;
      return;
    }
    if (isFirst && raw === 'for') {
      place.compounds++;
      this.loop();
      return;
    }
    if (isFirst && unread.has(raw)) this.doubt(`${raw} is not read here`);
    place.isClosed = false;
    const command = this.begin(place);
    const { words, assignments } = command;
    if (words.length === 0 && raw === '[[') this.test(command, span);
    else if (words.length > 0 || !assignment.test(raw)) words.push(span);
    else {
      assignments.push(span);
      if (this.next() === '(') this.doubt('an array is not read here');
    }
  }

  protected begin(place: ScanPosition): FoundCommand {
    if (place.command === null) {
      place.command = { assignments: [], words: [], depth: this.depth + place.groups + place.compounds, next: '' };
      place.commands++;
      this.found.commands.push(place.command);
    }
    return place.command;
  }

  /** `[[ … ]]`, whose operators are words of its own. */
  protected test(command: FoundCommand, first: Span): void {
    command.words.push(first);
    for (let isOpen = true; isOpen; ) {
      this.skipBlanks();
      const logical = this.match(/&&|\|\|/y);
      const span = { from: this.at, to: this.at + 2 };
      if (logical !== null) this.at += 2;
      else if (/^[;&|()<>\n#]?$/.test(this.next())) {
        this.doubt('a test of this kind is not read here');
        return;
      } else Object.assign(span, this.word());
      command.words.push(span);
      isOpen = this.text.slice(span.from, span.to) !== ']]';
    }
  }

  /** `for name in words` up to its end; the words run nothing but what is substituted in them. */
  protected loop(): void {
    const head = this.match(/[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]+in(?=[ \t])/y);
    if (head === null) {
      this.doubt('a for loop of this kind is not read here');
      return;
    }
    const words: Span[] = [];
    this.found.loops.push({ name: head.trim().split(/[ \t]+/)[0] as string, words, at: this.at });
    this.at += head.length;
    for (;;) {
      this.skipBlanks();
      if (/^[;\n]?$/.test(this.next())) return;
      if (/[&|<>()#]/.test(this.next())) {
        this.doubt('a for loop of this kind is not read here');
        return;
      }
      words.push(this.word());
    }
  }

  /** A comment ends a line and nothing else. */
  protected comment(place: ScanPosition): void {
    if (this.depth > 0 || place.groups > 0) this.doubt('a comment stands in a group');
    const end = this.text.indexOf('\n', this.at);
    this.at = end < 0 ? this.end : Math.min(end, this.end);
  }

  protected redirect(operator: string): void {
    this.skipBlanks();
    const isSubstitution = this.next(1) === '(';
    if (/^[;&|()\n#]?$/.test(this.next()) || (/[<>]/.test(this.next()) && !isSubstitution)) {
      this.doubt(`${operator} has no target`);
      return;
    }
    const target = this.word();
    if (operator === '<<' || operator === '<<-') this.announce(operator, this.text.slice(target.from, target.to));
    else if (operator !== '<<<') this.found.redirects.push({ operator, target });
  }

  protected announce(operator: '<<' | '<<-', raw: string): void {
    const delimiter = raw.replace(/^(['"])(.*)\1$/, '$2');
    if (!/^[A-Za-z0-9_]+$/.test(delimiter)) this.doubt('the end of a here-document is not plain');
    this.pending.push({ delimiter, isQuoted: raw !== delimiter, stripsTabs: operator === '<<-' });
  }

  protected hereDocuments(): void {
    if (this.pending.length > 1) this.doubt('several here-documents begin at once');
    for (const { delimiter, isQuoted, stripsTabs } of this.pending.splice(0)) {
      const from = this.at;
      for (let isOpen = true; isOpen; ) {
        const found = this.text.indexOf('\n', this.at);
        const end = found < 0 || found > this.end ? this.end : found;
        const line = this.text.slice(this.at, end);
        const body = this.text.slice(from, this.at);
        isOpen = (stripsTabs ? line.replace(/^\t+/, '') : line) !== delimiter;
        if (!isOpen && this.depth > 0 && !body.split('\n').every(isBalanced)) {
          this.doubt('a here-document in brackets holds some');
        }
        if (!isOpen && !isQuoted && /[`\\]|\$[^A-Za-z0-9_ \n]/.test(body)) {
          this.doubt('a here-document may run something');
        }
        if (isOpen && end === this.end) {
          this.doubt('a here-document has no end');
          isOpen = false;
        }
        this.at = isOpen ? end + 1 : end;
      }
    }
  }
}
