/** What the demo understood. Paths are as the user wrote them; `.` is the session's folder. */
export type Task =
  | { do: 'find'; pattern: string; folder: string; report: string | null }
  | { do: 'list'; kind: Kind; folder: string; report: string | null }
  | { do: 'count_lines'; kind: Kind; path: string; report: string | null }
  | { do: 'count_files'; kind: Kind; folder: string; report: string | null }
  | { do: 'summarise'; path: string; report: string | null }
  | { do: 'rename'; from: string; to: string }
  | { do: 'replace'; old: string; new: string; path: string }
  | { do: 'run'; command: string };

/** A kind of file: how people call it, and the glob that finds it. */
export type Kind = { name: string; glob: string };

const anyKind: Kind = { name: 'files', glob: '**/*' };

const kinds: readonly (readonly [words: RegExp, name: string, glob: string])[] = [
  [/\btypescript\b|\bts files?\b/i, 'TypeScript files', '**/*.{ts,tsx,mts,cts}'],
  [/\bjavascript\b|\bjs files?\b/i, 'JavaScript files', '**/*.{js,jsx,mjs,cjs}'],
  [/\bmarkdown\b|\bmd files?\b/i, 'Markdown files', '**/*.md'],
  [/\bpython\b|\bpy files?\b/i, 'Python files', '**/*.py'],
  [/\bjson\b/i, 'JSON files', '**/*.json'],
  [/\byaml\b|\byml\b/i, 'YAML files', '**/*.{yaml,yml}'],
  [/\brust\b/i, 'Rust files', '**/*.rs'],
  [/\bgo files?\b|\bgolang\b/i, 'Go files', '**/*.go'],
  [/\bjava files?\b/i, 'Java files', '**/*.java'],
  [/\bcss\b/i, 'CSS files', '**/*.css'],
  [/\bhtml\b/i, 'HTML files', '**/*.html'],
  [/\btext files?\b|\btxt files?\b/i, 'text files', '**/*.txt'],
];

/** A word, or anything in quotes or backticks. */
const term = String.raw`(?:"([^"]+)"|'([^']+)'|\x60([^\x60]+)\x60|“([^”]+)”|(\S+))`;

/** The task in an English sentence, or null. */
export function understand(sentence: string): Task | null {
  const text = sentence
    .trim()
    .replace(/^(?:please|could you|can you|would you|now)\s+/i, '')
    .replace(/(\w|["'`)])[.!?]+$/, '$1');
  return command(text) ?? rename(text) ?? replace(text) ?? query(text);
}

function command(text: string): Task | null {
  const match = /^(?:run|execute)\s+(?:the\s+)?(?:command\s+)?(.+)$/is.exec(text);
  const said = match?.[1]?.trim();
  return said ? { do: 'run', command: /^[`"'](.*)[`"']$/s.exec(said)?.[1] ?? said } : null;
}

function rename(text: string): Task | null {
  const match = new RegExp(
    `^(?:rename|move)\\s+(?:the\\s+)?(?:file\\s+)?${term}\\s+(?:to|into|as)\\s+${term}$`,
    'i',
  ).exec(text);
  return match === null ? null : { do: 'rename', from: words(match, 1), to: words(match, 6) };
}

function replace(text: string): Task | null {
  const match = new RegExp(
    `^replace\\s+(?:every\\s+|all\\s+|each\\s+)?(?:occurrences?\\s+of\\s+|the\\s+word\\s+)?${term}\\s+(?:with|by)\\s+${term}(.*)$`,
    'is',
  ).exec(text);
  if (match === null) return null;
  return { do: 'replace', old: words(match, 1), new: words(match, 6), path: folderIn(match[11] ?? '') };
}

function query(sentence: string): Task | null {
  const { rest, report } = splitReport(sentence);
  const kind = kindIn(rest);
  const folder = folderIn(rest);
  if (/\bsummari[sz]e\b|\bsummary\b|\bdescribe\b/i.test(rest)) {
    const match = new RegExp(
      `(?:summari[sz]e|describe|summary\\s+of)\\s+(?:the\\s+)?(?:file\\s+|folder\\s+)?${term}`,
      'i',
    ).exec(rest);
    const path = match === null ? '.' : words(match, 1);
    return { do: 'summarise', path: isHere(path) ? '.' : path, report };
  }
  const isCount = /\bcount\b|\bhow many\b|\bnumber of\b/i.test(rest);
  if (isCount && /\blines?\b/i.test(rest)) return { do: 'count_lines', kind, path: folder, report };
  if (/\bfiles?\b/i.test(rest) && !/\b(?:todos?|fixmes?|occurrences?|word|text)\b/i.test(rest)) {
    if (isCount) return { do: 'count_files', kind, folder, report };
    if (/\b(?:list|show|find|which|what|report)\b/i.test(rest)) return { do: 'list', kind, folder, report };
  }
  if (/^(?:list|show)\b/i.test(rest) && /\b(?:folder|directory|everything|here)\b/i.test(rest)) {
    return { do: 'list', kind: anyKind, folder, report };
  }
  const found = new RegExp(
    String.raw`\b(?:find|search(?:\s+for)?|grep(?:\s+for)?|look\s+for|locate|count|how\s+many|report(?:\s+(?:on|of|about))?)\s+` +
      String.raw`(?:me\s+)?(?:every|all|each|any|the)?\s*(?:the\s+)?(?:occurrences?\s+of\s+|uses?\s+of\s+|(?:word|text)\s+)?${term}`,
    'i',
  ).exec(rest);
  if (found === null) return null;
  const said = words(found, 1);
  const isQuoted = found[5] === undefined;
  const isMarker = /^(?:todo|fixme|hack|xxx)s?$/i.test(said);
  if (!isQuoted && /^(?:files?|lines?|me|a|an|it|this|that)$/i.test(said)) return null;
  return { do: 'find', pattern: isMarker && !isQuoted ? said.toUpperCase().replace(/S$/, '') : said, folder, report };
}

/** Takes "… and write a report to FILE" off a sentence. */
function splitReport(text: string): { rest: string; report: string | null } {
  const match =
    /(?:,?\s*\b(?:and|then)\b\s*)?(?:\b(?:write|save|put|store|create)\b(.*?))?\s+(?:to|into|as|in|called|named)\s+(?:the\s+)?(?:a\s+)?(?:file\s+)?["'\x60]?([\w@./-]*\w\.\w+)["'\x60]?$/is.exec(
      text,
    );
  const isReport = /\b(?:write|save|put|store|create|report)\b/i.test(text);
  if (match === null || !isReport) return { rest: text, report: null };
  // "Write a report of every TODO to TODO.md": what to do stands inside.
  const before = text.slice(0, match.index);
  return { rest: before.trim() === '' ? (match[1] ?? '') : before, report: match[2] ?? null };
}

function kindIn(text: string): Kind {
  const glob = /(?:^|\s)["'`]?((?:[\w./-]*\/)?\*[\w.*/{},-]*)["'`]?/.exec(text)?.[1];
  if (glob !== undefined) return { name: `files that match ${glob}`, glob: glob.includes('/') ? glob : `**/${glob}` };
  const dotted = /\s\.(\w{1,5})\s+files?\b/i.exec(text)?.[1];
  if (dotted !== undefined) return { name: `.${dotted} files`, glob: `**/*.${dotted}` };
  const known = kinds.find(([pattern]) => pattern.test(text));
  return known === undefined ? anyKind : { name: known[1], glob: known[2] };
}

/** The path after the last "in", "of" or "under"; the session's folder if there is none. */
function folderIn(text: string): string {
  const matches = text.matchAll(
    /\b(?:in|under|inside|within|of|below|from)\s+(?:the\s+)?(?:folder\s+|directory\s+|file\s+)?["'`]?([\w@./-]+)["'`]?/gi,
  );
  const paths = [...matches].map(([, path = '.']) => path.replace(/\.$/, '') || '.').filter((path) => !isNoPath(path));
  const last = paths.at(-1) ?? '.';
  return isHere(last) ? '.' : last.replace(/(.)\/+$/, '$1');
}

function isHere(path: string): boolean {
  return /^(?:\.\/?|this|here|it|the|current|my|our|folder|directory|project|repository|repo|everything)$/i.test(path);
}

function isNoPath(path: string): boolean {
  return /^(?:each|every|all|any|files?|lines?|occurrences?|todos?|fixmes?|total|typescript|javascript|python|markdown|json)$/i.test(
    path,
  );
}

/** The one alternative of a term that matched. */
function words(match: RegExpExecArray, from: number): string {
  return match.slice(from, from + 5).find((group) => group !== undefined) ?? '';
}
