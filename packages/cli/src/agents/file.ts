/** An agent as a file: settings between lines of `---`, then its prompt. */
import type { Agent } from '@pawl/engine';
import { parseRule } from '@pawl/policy';
import { messageOf, PawlError } from '@pawl/protocol';
import type { Node } from 'yaml';
import type { AgentSettings } from './schema.ts';

/** @throws `bad_agent`, with the file, the line and what is wrong. */
export async function parseAgent(name: string, path: string, text: string): Promise<Agent> {
  const { head, body } = partsOf(text, path);
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(head, { prettyErrors: false, lineCounter });
  // The line of `---` comes first.
  const lineAt = (offset: number) => lineCounter.linePos(offset).line + 1;
  const [error] = document.errors;
  if (error !== undefined) throw badAgent(path, lineAt(error.pos[0]), error.message.split('\n')[0] ?? error.code);
  const value = settingsIn(() => document.toJS({ maxAliasCount: 100 }), path);
  const badSetting = (problem: string) => {
    const place = problem.slice(0, problem.indexOf(':'));
    return badAgent(path, lineAt(offsetOf(document.contents, place)), problem);
  };
  const [{ check }, { agentSettings }] = await Promise.all([
    import('../config/schema/check.ts'),
    import('./schema.ts'),
  ]);
  const checked = check(value, agentSettings);
  if ('problem' in checked) throw badSetting(checked.problem);
  const written = checked.value;
  const wrongRule = ruleProblem(written);
  if (wrongRule !== null) throw badSetting(wrongRule);
  return {
    name,
    description: written.description,
    mode: written.mode ?? 'all',
    prompt: body.trim(),
    source: path,
    model: written.model ?? null,
    tools: written.tools ?? null,
    rules: { deny: [], ask: [], allow: [], ...written.rules },
    permissionMode: written['permission-mode'] ?? null,
    delegates: written.delegates ?? null,
    colour: written.colour ?? null,
    steps: written.steps ?? null,
  };
}

function settingsIn(read: () => unknown, path: string): unknown {
  try {
    return read() ?? {};
  } catch (cause) {
    throw badAgent(path, 2, messageOf(cause).split('\n')[0] ?? 'the settings cannot be read');
  }
}

export function badAgent(path: string, line: number, problem: string): PawlError {
  return new PawlError('bad_agent', `${path}, line ${line}: ${problem}`);
}

function partsOf(text: string, path: string): { head: string; body: string } {
  const lines = text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  const end = lines.indexOf('---', 1);
  if (lines[0]?.trim() !== '---') throw badAgent(path, 1, 'an agent begins with its settings, between lines of ---');
  if (end < 0) throw badAgent(path, 1, 'the settings that begin here have no end, a line of ---');
  return { head: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

function ruleProblem({ rules = {} }: AgentSettings): string | null {
  for (const [list, texts] of Object.entries(rules)) {
    for (const [index, text] of texts.entries()) {
      try {
        parseRule(text);
      } catch (error) {
        return `rules.${list}.${index}: ${messageOf(error)}`;
      }
    }
  }
  return null;
}

/** Where in the text a place such as `rules.deny.0` is, or the last part of it that is there. */
function offsetOf(root: unknown, place: string): number {
  type Items = Node & { items?: readonly unknown[] };
  let node = root as Items | null;
  let offset = node?.range?.[0] ?? 0;
  for (const part of place.split('.')) {
    const items: readonly unknown[] = node?.items ?? [];
    const pair = items.find((item) => nameOf(item) === part) as { key: Node; value: Items | null } | undefined;
    const entry = pair?.value ?? (items[Number(part)] as Items | undefined);
    const found = pair?.key.range ?? entry?.range;
    if (found == null) return offset;
    offset = found[0];
    node = entry ?? null;
  }
  return offset;
}

function nameOf(item: unknown): string | null {
  const { key } = (item ?? {}) as { key?: { value?: unknown } };
  return typeof key?.value === 'string' ? key.value : null;
}
