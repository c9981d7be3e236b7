/** A call, taken apart into what has to be allowed each by itself: paths, a URL, a text, the parts of a command line. */
import type { PermissionMode, RuleSet, ToolEffect } from '@pawl/protocol';
import { allowsPart } from './command-allow.ts';
import { type Coverage, findsPart } from './command-find.ts';
import { isObeyed } from './obeyed.ts';
import { folderOfPattern, foldName, isInside, matchesPath, mayOverlap, type PathBase, segmentsOf } from './paths.ts';
import { readArguments } from './programs/arguments.ts';
import { isHarmless, partReachesOutside, readsOnly } from './reading.ts';
import { namesTool, type Rule } from './rules.ts';
import { analyse, type CommandPart, type Part } from './shell/analyse.ts';
import { type TouchedPath, touchedBy } from './shell/touched.ts';
import { allowedWith, blindWriters, fileWriters, readTools, searchTool, writeTools } from './tool-names.ts';
import { matchesUrl } from './urls.ts';
import { matchesText } from './wildcard.ts';

/** Rules of one origin: `managed`, `user`, `project`, `session`, `agent`… The name is for people. */
export type RuleLayer = { name: string; rules: RuleSet };

/** What a rule's pattern is held against. A path is absolute and canonical (symlinks resolved). */
export type Subject = { kind: 'path' | 'command' | 'url' | 'text'; value: string };

/**
 * What a sandbox leaves a call: to change nothing and reach nobody (`read-only`), or to change no more than the session's
 * folder and a temporary one and reach no host but those that the user has named for it, if any (`workspace`). `none` is
 * no sandbox; `escape` asks to be let out of the one there is.
 */
export type Containment = 'none' | 'read-only' | 'workspace' | 'escape';

/** One call, as far as rules are concerned. */
export type Question = PathBase & {
  layers: readonly RuleLayer[];
  tool: string;
  /** All that the call touches; none if the tool has no main argument, and then only rules without a pattern apply. */
  subjects: readonly Subject[];
  mode: PermissionMode;
  effect: ToolEffect;
  /** Whether the tool itself would ask. */
  toolAsks: boolean;
  /** Default `none`. */
  containment?: Containment;
  /** Where the paths that a command names (`namedPaths`) really lead. Without, they are taken as they are written. */
  canonicalPaths?: ReadonlyMap<string, string>;
};

export type Claim = {
  kind: Subject['kind'] | Part['kind'];
  text: string;
  /** Why it needs no rule, or null. It then says nothing about the call as a whole. */
  harmless: string | null;
  /** Why nobody can be sure what it does, or null. */
  doubt: string | null;
  /** A file of the workspace is written, and none that other programs obey. */
  isPlainEdit: boolean;
  /** It leads out of the session's folder through a symlink, although it does not look like it. */
  isSurprising: boolean;
  /** It names a place outside of the session's folder, or one that leads there. */
  isOutside: boolean;
  /** It names a place that is neither the session's nor the system's, or a file that other programs obey. */
  isOutward: boolean;
  /** For a deny or an ask. */
  finds(rule: Rule): Coverage;
  allows(rule: Rule): boolean;
};

/** Many disks take `.ENV` for `.env`, and `é` in one spelling for the other: a deny or an ask holds for them all. */
export const ofProhibition = { withContents: true, ignoresCase: true };

/** Whether rules about paths may be about what a command does. */
export function isPathRule(rule: Rule): boolean {
  const tool = rule.tool.toLowerCase();
  return rule.pattern !== null && (tool === '*' || readTools.has(tool) || writeTools.has(tool));
}

export function claimsOf(question: Question): Claim[] {
  return question.subjects.flatMap((subject): Claim[] => {
    switch (subject.kind) {
      case 'path':
        return [pathClaim(subject.value, question)];
      case 'command':
        return commandClaims(subject.value, question);
      case 'url':
      case 'text':
        return [textClaim(subject, question)];
      default:
        return subject.kind satisfies never;
    }
  });
}

const quiet = {
  harmless: null,
  doubt: null,
  isPlainEdit: false,
  isSurprising: false,
  isOutside: false,
  isOutward: false,
};

function textClaim({ kind, value }: Subject, { tool }: Question): Claim {
  const isUrl = kind === 'url';
  const covers = (rule: Rule, isProhibition: boolean) =>
    rule.pattern !== null &&
    namesTool(rule, tool, { ignoresCase: isProhibition }) &&
    (isUrl ? matchesUrl(rule.pattern, value, { isProhibition }) : matchesText(rule.pattern, value, { hasOne: false }));
  return {
    ...quiet,
    kind,
    text: value,
    finds: (rule) => (covers(rule, true) ? 'yes' : 'no'),
    allows: (rule) => covers(rule, false),
  };
}

function pathClaim(path: string, question: Question): Claim {
  const { tool, effect } = question;
  return {
    ...quiet,
    kind: 'path',
    text: path,
    isPlainEdit: effect === 'write' && isPlainEdit(path, question),
    finds: (rule) => {
      const { pattern } = rule;
      if (pattern === null || !matchesPath(pattern, path, question, ofProhibition)) return 'no';
      return namesTool(rule, tool, { ignoresCase: true }) || bindsTool(rule, tool, effect) ? 'yes' : 'no';
    },
    allows: (rule) =>
      rule.pattern !== null &&
      (namesTool(rule, tool, { ignoresCase: false }) || rule.tool === allowedWith[tool]) &&
      matchesPath(rule.pattern, path, question),
  };
}

/** Who may not read a path learns nothing of it by editing either; who may not change one does so with no tool. */
function bindsTool(rule: Rule, tool: string, effect: ToolEffect): boolean {
  const named = rule.tool.toLowerCase();
  if (readTools.has(named)) return !blindWriters.has(tool);
  return writeTools.has(named) && effect !== 'read';
}

/** Whether a rule about paths keeps them from the tools that search. */
export const bindsSearch = (rule: Rule) =>
  namesTool(rule, searchTool, { ignoresCase: true }) || bindsTool(rule, searchTool, 'read');

/** `accept-edits` leaves an edit of what other programs obey to a person. */
const isPlainEdit = (path: string, base: PathBase) => isInside(base.cwd, path) && !isObeyed(path, base);

/* ------------------------------------------------- the parts of a command */

/** What git's settings name is overruled only for a line that does nothing but read. */
function commandClaims(command: string, question: Question): Claim[] {
  const isQuiet = readsOnly(command);
  return analyse(command).map((part) => partClaim(part, question, isQuiet));
}

function partClaim(part: Part, question: Question, isQuiet: boolean): Claim {
  const touched = touchedBy(part).map((each) => located(each, question));
  const leaves = ({ path, isGlob, isGuess, real, isUnresolved }: Located) =>
    path !== null && !isGlob && isGuess !== true && (!isInside(question.cwd, real) || isUnresolved);
  const isContained = question.containment === 'read-only';
  const looksOutside = partReachesOutside(part, question.cwd, { isContained });
  const isOutside = touched.some(leaves);
  const isSurprising = !looksOutside && isOutside;
  const [target, ...others] = part.kind === 'redirect' && part.access === 'write' ? touched : [];
  const leading = () => (part.kind === 'command' ? placesOutside(part, touched, question) : []);
  const writtenTo =
    target?.path != null && !target.isGlob && others.every(({ isGuess }) => isGuess) ? target.real : null;
  return {
    kind: part.kind,
    text: part.text,
    harmless: isSurprising || looksOutside ? null : isHarmless(part, { isContained, isQuiet }),
    doubt: part.kind === 'doubt' ? part.reason : null,
    isPlainEdit: writtenTo !== null && isPlainEdit(writtenTo, question),
    isSurprising,
    isOutside,
    isOutward:
      touched.some((each) => isOutward(each, question)) ||
      (writtenTo !== null && !isPlainEdit(writtenTo, question) && !isInside('/tmp', writtenTo)),
    finds: (rule) =>
      strongest([commandCoverage(rule, part, question), ...touched.map((path) => pathCoverage(rule, path, question))]),
    allows: (rule) => {
      if (part.kind === 'redirect') {
        const isWriting = fileWriters.has(rule.tool);
        return (
          isWriting && writtenTo !== null && (rule.pattern === null || matchesPath(rule.pattern, writtenTo, question))
        );
      }
      const isMine = rule.pattern !== null && namesTool(rule, question.tool, { ignoresCase: false });
      return isMine && part.kind === 'command' && allowsPart(rule.pattern as string, part, leading());
    },
  };
}

function commandCoverage(rule: Rule, part: Part, { tool }: Question): Coverage {
  return rule.pattern !== null && namesTool(rule, tool, { ignoresCase: true }) ? findsPart(rule.pattern, part) : 'no';
}

/** A path rule binds a command as far as its text tells which paths it touches, and what it does to them. */
function pathCoverage(rule: Rule, touched: Located, question: Question): Coverage {
  const { path, isGlob, access, isGuess, written, real } = touched;
  const { pattern } = rule;
  if (pattern === null || !isPathRule(rule)) return 'no';
  const isAboutReading = !writeTools.has(rule.tool.toLowerCase());
  if (!isAboutReading && access === 'read') return 'no';
  const certain: Coverage = (isAboutReading || access === 'write') && isGuess !== true ? 'yes' : 'maybe';
  if (path === null) return 'maybe';
  if (isGlob) {
    const covered = access === 'write' ? `${path}/**` : path;
    return mayOverlap(pattern, covered, question) ? 'maybe' : 'no';
  }
  const places = written === real ? [real] : [written, real];
  if (places.some((place) => matchesPath(pattern, place, question, ofProhibition))) return certain;
  // Who changes a folder may change all that is in it.
  const folder = foldName(folderOfPattern(pattern, question));
  return access === 'write' && places.some((place) => isInside(foldName(place), folder)) ? 'maybe' : 'no';
}

function strongest(coverages: readonly Coverage[]): Coverage {
  return coverages.includes('yes') ? 'yes' : coverages.includes('maybe') ? 'maybe' : 'no';
}

function absolutePath(path: string, { cwd, home }: PathBase): string {
  if (path.startsWith('/')) return path;
  return path === '~' || path.startsWith('~/') ? home + path.slice(1) : `${cwd}/${path}`;
}

/** A path, where it is by its name, and where it leads. */
type Located = TouchedPath & {
  written: string;
  real: string;
  /** Whether it was one too many to be looked at: nobody knows where it leads. */
  isUnresolved: boolean;
};

function located(touched: TouchedPath, question: Question): Located {
  const absolute = absolutePath(touched.path ?? '', question);
  const written = `/${segmentsOf(absolute).join('/')}`;
  const real = question.canonicalPaths?.get(absolute);
  const isNamed = touched.path !== null && !touched.isGlob;
  return {
    ...touched,
    written,
    real: real ?? written,
    isUnresolved: isNamed && question.canonicalPaths !== undefined && real === undefined,
  };
}

/** Where programs and libraries are, and what a sandbox has of its own. */
const ofSystem = ['/bin', '/dev', '/lib', '/lib64', '/nix/store', '/opt', '/sbin', '/tmp', '/usr'];

/** A path that only the shell will know says nothing. */
function isOutward({ path, isGuess, access, written, real }: Located, question: Question): boolean {
  if (path === null || isGuess === true) return false;
  const { cwd } = question;
  return [written, real].some((place) => {
    if (isInside(cwd, place)) return access === 'write' && isObeyed(place, question);
    return !ofSystem.some((folder) => isInside(folder, place));
  });
}

/** The words of a command that lead out of where the session works, as far as the table tells which words are paths. */
function placesOutside({ words }: CommandPart, touched: readonly Located[], question: Question): number[] {
  if (readArguments(words) === null) return [];
  return touched.flatMap((each) => {
    const { at, access, path, isGuess, written, real } = each;
    if (at === undefined || path === null || isGuess === true || access === 'unknown') return [];
    const isElsewhere = access === 'write' && [written, real].some((place) => !isWritable(place, question));
    return isElsewhere || isOutward(each, question) ? [at] : [];
  });
}

const isWritable = (place: string, { cwd }: Question) => isInside(cwd, place) || isInside('/tmp', place);

/** The paths that a command names, absolute and as they are written, for `canonicalPaths`. `..` is not worked out. */
export function namedPaths(command: string, base: PathBase): string[] {
  const paths = analyse(command).flatMap((part) => touchedBy(part));
  return [...new Set(paths.flatMap(({ path, isGlob }) => (path === null || isGlob ? [] : [absolutePath(path, base)])))];
}
