/** `pawl policy explain 'bash(git log && rm x)'`: which rule decides on a call, part by part, and why. Nothing is run. */

import { homedir } from 'node:os';
import { canonicalPathsOf, type Tool, type ToolScope } from '@pawl/engine';
import { visible } from '@pawl/engine/readers/visible';
import {
  type Explanation,
  explainByRules,
  limitOfRule,
  parseRule,
  type Question,
  type Subject,
  suggestRules,
} from '@pawl/policy';
import type { JsonObject, PermissionMode } from '@pawl/protocol';
import { createStyle, wantsColour } from '@pawl/terminal/text/style';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printWarning } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { tableLines } from '../output/table.ts';
import { openTools } from '../run/tools.ts';
import { usageError } from '../usage-error.ts';
import { type PolicyFlags, readPolicy } from './rules.ts';

export type ExplainFlags = PolicyFlags & { permissionMode?: PermissionMode };

/** @throws `usage`, `bad_config`, `no_session`. */
export async function explainCall(call: string, flags: ExplainFlags): Promise<ExitCode> {
  const policy = await readPolicy(flags);
  const { tool, argument } = readCall(call);
  const base = { cwd: policy.folder, home: homedir() };
  const mode = flags.permissionMode ?? policy.mode;
  const notices: string[] = [];
  const { tools } = openTools({ config: policy.config, sandbox: null, notice: (line) => notices.push(line) });
  const named = tools.find(({ name }) => name === tool);
  if (named === undefined && !tool.startsWith('mcp__')) {
    notices.push(`There is no tool ${JSON.stringify(tool)} here. It is judged as one that may do anything.`);
  }
  const facts = await factsOf(named, argument, { ...base, mode });
  const explanation = explainByRules({ ...base, ...facts, tool, layers: policy.layers, mode });
  const isToolAsking = explanation.ruling.rule === `tool ${tool}` && explanation.ruling.verdict === 'ask';
  const suggestions = isToolAsking ? suggestRules({ ...base, ...facts, tool }) : [];
  const output = openOutput(process.stdout);
  await output.write(
    flags.json === true
      ? `${JSON.stringify({ tool, argument, ...explanation.ruling, parts: explanation.parts, suggestions }, null, 2)}\n`
      : textOf(call, explanation, suggestions),
  );
  await output.flush();
  for (const warning of [...policy.warnings, ...notices]) printWarning(warning);
  return exitCodes.completed;
}

/** `tool(argument)`; the argument is taken as it is, with all its brackets and line breaks. @throws `usage`. */
function readCall(call: string): { tool: string; argument: string | null } {
  const [, name, argument] = /^\s*([A-Za-z_][A-Za-z0-9_.:/-]*)\s*(?:\((.*)\))?\s*$/s.exec(call) ?? [];
  if (name === undefined) {
    const example = /^[\w./-]+ [^()']*$/.test(call) ? `bash(${call})` : 'bash(git log && rm x)';
    throw usageError(`Write the call as tool(argument), in quotes: pawl policy explain '${example}'`);
  }
  return { tool: parseRule(name).tool.replace(/\*$/, ''), argument: argument ?? null };
}

type Facts = Pick<Question, 'subjects' | 'effect' | 'toolAsks' | 'canonicalPaths' | 'containment'>;

/** What the tool itself says of the call. Of one that is not built in the worst is supposed. */
async function factsOf(
  tool: Tool | undefined,
  argument: string | null,
  base: { cwd: string; home: string; mode: PermissionMode },
): Promise<Facts> {
  if (tool === undefined) {
    const subjects: Subject[] = argument === null ? [] : [{ kind: 'text', value: argument }];
    return { subjects, effect: 'external', toolAsks: true };
  }
  const scope = scopeOf(base);
  if (argument === null) {
    // What depends on arguments is supposed to be the worst.
    const effect = typeof tool.effect === 'string' ? tool.effect : 'external';
    const isFixed = tool.approval?.length === 0;
    const toolAsks = isFixed ? (await tool.approval?.({}, scope)) !== false : tool.approval !== undefined;
    return { subjects: [], effect, toolAsks: tool.approval === undefined ? effect !== 'read' : toolAsks };
  }
  const input = inputOf(tool, argument);
  const kind = tool.subjectKind ?? 'text';
  // Before the tool is asked: to read a command takes the shell's grammar.
  const canonicalPaths = kind === 'command' ? await canonicalPathsOf(argument, base) : new Map<string, string>();
  const paths = (await tool.paths?.(input, scope)) ?? [];
  const effect = typeof tool.effect === 'function' ? tool.effect(input) : tool.effect;
  const toolAsks = tool.approval === undefined ? effect !== 'read' : await tool.approval(input, scope);
  const subjects: Subject[] =
    kind === 'path' ? paths.map((value) => ({ kind: 'path', value })) : [{ kind, value: argument }];
  const containment = (await tool.containment?.(input, scope)) ?? 'none';
  return { subjects, effect, toolAsks, canonicalPaths, containment };
}

/** The main argument of a tool is the one that rules are about, by the custom of the built-in ones. */
function inputOf({ input, subjectKind }: Tool, argument: string): JsonObject {
  const properties = 'properties' in input && typeof input.properties === 'object' ? (input.properties ?? {}) : {};
  const usual = subjectKind === 'command' ? 'command' : subjectKind === 'path' ? 'path' : 'url';
  const name = usual in properties ? usual : (Object.keys(properties)[0] ?? usual);
  return { [name]: argument };
}

const scopeOf = (place: { cwd: string; mode: PermissionMode }): ToolScope => ({
  session: 'none',
  cwd: place.cwd,
  mode: place.mode,
  call: 'none',
  signal: new AbortController().signal,
  blobs: { put: () => Promise.reject(new Error('Nothing is kept.')), get: () => Promise.resolve(null) },
  lastSeen: () => null,
});

function textOf(call: string, { ruling, parts }: Explanation, suggestions: readonly string[]): string {
  const style = createStyle(wantsColour(process.stdout));
  const paint = { deny: style.red, ask: style.yellow, allow: style.green };
  const rows = parts.map(({ verdict, text, rule, layer }) => [
    { text: verdict, paint: paint[verdict] },
    visible(text).replace(/\n/g, '⏎'),
    rule,
    { text: layer ?? '', paint: style.dim },
  ]);
  const reasons = new Set(parts.filter(({ verdict }) => verdict === ruling.verdict).map(({ reason }) => reason));
  return [
    `${paint[ruling.verdict](ruling.verdict)}  ${visible(call)}`,
    ...tableLines(rows, '  '),
    ...[ruling.reason, ...[...reasons].filter((reason) => reason !== ruling.reason)].map((line) => visible(line)),
    ...(suggestions.length === 0
      ? []
      : [
          `A rule would allow it: ${suggestions.map((rule) => visible(rule)).join(' or ')}`,
          ...suggestions.flatMap((rule) => limitOfRule(rule) ?? []),
        ]),
    '',
  ].join('\n');
}
