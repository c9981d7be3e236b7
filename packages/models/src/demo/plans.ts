import type { JsonObject } from '@pawl/protocol';
import type { Done } from './conversation.ts';
import { plainPath, plural, readMatches, readNumbered, readPaths } from './matches.ts';
import { type Call, each, isOk, type Plan, type Step, troubles } from './plan.ts';
import { lineReport, listReport, matchReport, summaryOf } from './reports.ts';
import type { Kind, Task } from './understand.ts';

export function planFor(task: Task): Plan {
  switch (task.do) {
    case 'find':
      return find(task);
    case 'list':
      return list(task);
    case 'count_files':
      return countFiles(task);
    case 'count_lines':
      return countLines(task);
    case 'summarise':
      return summarise(task);
    case 'rename':
      return rename(task);
    case 'replace':
      return replace(task);
    case 'run':
      return run(task);
    default:
      return task satisfies never;
  }
}

/** Tools that a task cannot do without. */
export function toolsFor(task: Task): string[] {
  switch (task.do) {
    case 'find':
      return task.report === null ? ['grep'] : ['grep', 'glob', 'write'];
    case 'list':
    case 'count_files':
      return task.report === null ? ['glob'] : ['glob', 'write'];
    case 'count_lines':
    case 'summarise':
      return task.report === null ? ['glob', 'read'] : ['glob', 'read', 'write'];
    case 'rename':
      return ['glob', 'bash'];
    case 'replace':
      return ['grep', 'read', 'edit'];
    case 'run':
      return ['bash'];
    default:
      return task satisfies never;
  }
}

function call(tool: string, input: JsonObject): Call {
  return { tool, input };
}

/** A path below the session's folder; the folder itself need not be named. */
function below(folder: string): JsonObject {
  return folder === '.' ? {} : { path: folder };
}

function* find({ pattern, folder, report }: Task & { do: 'find' }): Plan {
  const search = call('grep', { pattern: expression(pattern), ...below(folder) });
  const [found, existing] = yield {
    say: `I search ${folder === '.' ? 'this folder' : folder} for ${pattern}.`,
    calls: report === null ? [search] : [search, call('glob', { pattern: report })],
  };
  if (!isOk(found)) return `The search did not work.${troubles(found === undefined ? [] : [found])}`;
  const all = readMatches(found.content);
  // The report of last time quotes what it found.
  const matches = all.matches.filter(({ path }) => report === null || path !== plainPath(report));
  const files = new Set(matches.map(({ path }) => path)).size;
  const remarks = matches.length === 0 ? [] : all.remarks;
  const summary =
    matches.length === 0
      ? `Nothing here contains ${pattern}.`
      : `Found ${plural(matches.length, 'line')} with ${pattern} in ${plural(files, 'file')}.`;
  if (report !== null) return yield* writeReport(report, existing, matchReport(pattern, matches, remarks), summary);
  const shown = matches.slice(0, 50).map(({ path, line, text }) => `\n- ${path}:${line} ${text.trim()}`);
  const more = matches.length > 50 ? `\n…and ${matches.length - 50} more.` : '';
  return summary + shown.join('') + more + remarks.map((remark) => `\n${remark}`).join('');
}

function* files(kind: Kind, folder: string, say: string, report: string | null): Generator<Step, Listing, Done[]> {
  const search = call('glob', { pattern: kind.glob, ...below(folder) });
  const [found, existing] = yield {
    say,
    calls: report === null ? [search] : [search, call('glob', { pattern: report })],
  };
  if (!isOk(found))
    return { trouble: `The search did not work.${troubles(found === undefined ? [] : [found])}`, paths: [], existing };
  const paths = readPaths(found.content).filter((path) => !path.endsWith('/') && path !== plainPath(report ?? ''));
  return { trouble: null, paths, existing };
}
type Listing = { trouble: string | null; paths: string[]; existing: Done | undefined };

function* list({ kind, folder, report }: Task & { do: 'list' }): Plan {
  const place = folder === '.' ? 'this folder' : folder;
  const { trouble, paths, existing } = yield* files(kind, folder, `I look for ${kind.name} in ${place}.`, report);
  if (trouble !== null) return trouble;
  const summary = `${plural(paths.length, 'file')} in ${place}${kind.glob === '**/*' ? '' : ` (${kind.name})`}.`;
  if (report !== null) return yield* writeReport(report, existing, listReport(capitalised(kind.name), paths), summary);
  return summary + paths.map((path) => `\n- ${path}`).join('');
}

function* countFiles({ kind, folder, report }: Task & { do: 'count_files' }): Plan {
  const place = folder === '.' ? 'this folder' : folder;
  const { trouble, paths, existing } = yield* files(kind, folder, `I count the ${kind.name} in ${place}.`, report);
  if (trouble !== null) return trouble;
  const summary = `${place} holds ${paths.length} ${kind.name}.`;
  if (report !== null) return yield* writeReport(report, existing, listReport(capitalised(kind.name), paths), summary);
  return summary;
}

function* countLines({ kind, path, report }: Task & { do: 'count_lines' }): Plan {
  const isFile = /\.\w+$/.test(path);
  const listing = isFile
    ? { trouble: null, paths: [path], existing: undefined }
    : yield* files(
        kind,
        path,
        `I look which ${kind.name} there are in ${path === '.' ? 'this folder' : path}.`,
        report,
      );
  if (listing.trouble !== null) return listing.trouble;
  const results = yield* each(
    listing.paths,
    (count) => `I read ${plural(count, 'file')} to count the lines.`,
    (file) => call('read', { path: file }),
  );
  const counts = listing.paths.flatMap((file, index) => {
    const result = results[index];
    return isOk(result) ? [{ path: file, lines: readNumbered(result.content).lastLine }] : [];
  });
  const total = counts.reduce((sum, { lines }) => sum + lines, 0);
  const summary = `${plural(total, 'line')} in ${plural(counts.length, 'file')}.`;
  const missing = troubles(results);
  if (report !== null) {
    return (yield* writeReport(report, listing.existing, lineReport(counts), summary)) + missing;
  }
  return summary + counts.map(({ path: file, lines }) => `\n- ${file}: ${lines}`).join('') + missing;
}

function* summarise({ path, report }: Task & { do: 'summarise' }): Plan {
  const isFile = /\.\w+$/.test(path);
  let paths = [path];
  let existing: Done | undefined;
  let opening = '';
  if (!isFile) {
    const listing = yield* files({ name: 'files', glob: '**/*' }, path, 'I look what is here.', report);
    if (listing.trouble !== null) return listing.trouble;
    existing = listing.existing;
    const isTelling = (file: string) =>
      /(?:^|\/)(?:readme[^/]*|package\.json|cargo\.toml|pyproject\.toml|go\.mod)$/i.test(file);
    paths = listing.paths.filter(isTelling).slice(0, 4);
    opening = `${plural(listing.paths.length, 'file')} in ${path === '.' ? 'this folder' : path}. `;
  }
  const results = yield* each(
    paths,
    () => `I read ${paths.join(', ')}.`,
    (file) => call('read', { path: file }),
  );
  const summaries = paths.flatMap((file, index) => {
    const result = results[index];
    if (!isOk(result)) return [];
    const { text, lastLine } = readNumbered(result.content);
    return [summaryOf(file, text, lastLine)];
  });
  const said = (opening + summaries.join('\n\n')).trim();
  const missing = troubles(results);
  if (report === null || said === '') return (said + missing).trim();
  if (isFile) [existing] = yield { say: said, calls: [call('glob', { pattern: report })] };
  return (yield* writeReport(report, existing, `# Summary of ${path}\n\n${said}\n`, 'The summary is made.')) + missing;
}

/** A file that exists is read before it is replaced, so that nobody's newer text is lost unseen. */
function* writeReport(path: string, existing: Done | undefined, content: string, summary: string): Plan {
  const isThere = isOk(existing) && readPaths(existing.content).includes(plainPath(path));
  if (isThere) yield { say: `${path} exists; I look at it before I replace it.`, calls: [call('read', { path })] };
  const [written] = yield { say: `${summary} I write ${path}.`, calls: [call('write', { path, content })] };
  return isOk(written)
    ? `${summary} The report is in ${path}.`
    : `${summary} The report was not written.${troubles(written === undefined ? [] : [written])}`;
}

function* rename({ from, to }: Task & { do: 'rename' }): Plan {
  const [source, target] = yield {
    say: `I look whether ${from} is there, and ${to} is free.`,
    calls: [call('glob', { pattern: from }), call('glob', { pattern: to })],
  };
  if (!isOk(source) || !isOk(target))
    return `I could not look.${troubles([source, target].filter((one) => one !== undefined))}`;
  if (!readPaths(source.content).includes(plainPath(from)))
    return `There is no file ${from} here; nothing was renamed.`;
  if (readPaths(target.content).includes(plainPath(to))) return `${to} exists already; nothing was renamed.`;
  const [moved] = yield {
    say: `I rename it.`,
    calls: [call('bash', { command: `mv -n -- ${quoted(from)} ${quoted(to)}` })],
  };
  return isOk(moved)
    ? `${from} is now ${to}.`
    : `${from} was not renamed.${troubles(moved === undefined ? [] : [moved])}`;
}

function* replace({ old, new: next, path }: Task & { do: 'replace' }): Plan {
  const place = path === '.' ? 'this folder' : path;
  const search = call('grep', { pattern: escaped(old), ...below(path) });
  const [found] = yield { say: `I search ${place} for ${old}.`, calls: [search] };
  if (!isOk(found)) return `The search did not work.${troubles(found === undefined ? [] : [found])}`;
  const paths = [...new Set(readMatches(found.content).matches.map((match) => match.path))];
  if (paths.length === 0) return `${old} is nowhere in ${place}; nothing was changed.`;
  const read = yield* each(
    paths,
    (count) => `It is in ${plural(count, 'file')}. I read ${count === 1 ? 'it' : 'them'} before I change anything.`,
    (file) => call('read', { path: file }),
  );
  const known = paths.filter((_path, index) => isOk(read[index]));
  const edits = yield* each(
    known,
    (count) => `I replace ${old} with ${next} in ${plural(count, 'file')}.`,
    (file) => call('edit', { path: file, old, new: next, all: true }),
  );
  const changed = known.filter((_path, index) => isOk(edits[index]));
  const summary =
    changed.length === 0
      ? 'Nothing was changed.'
      : `Replaced ${old} with ${next} in ${plural(changed.length, 'file')}: ${changed.join(', ')}.`;
  return summary + troubles([...read, ...edits]);
}

function* run({ command }: Task & { do: 'run' }): Plan {
  const [result] = yield { say: `I run \`${command}\`.`, calls: [call('bash', { command })] };
  if (result === undefined) return 'The command gave no result.';
  const output = result.content.trim().split('\n').slice(-30).join('\n');
  switch (result.status) {
    case 'ok':
      return output === '' ? `\`${command}\` ran without output.` : `\`${command}\` ran. It ended with:\n\n${output}`;
    case 'error':
      return `\`${command}\` failed:\n\n${output}`;
    default:
      return `\`${command}\` did not run.${troubles([result])}`;
  }
}

/** A marker such as TODO is a word of its own; anything else is found anywhere. */
function expression(pattern: string): string {
  return /^[A-Z]{3,}$/.test(pattern) ? `\\b${pattern}\\b` : escaped(pattern);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
