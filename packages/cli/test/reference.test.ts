import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../src/program.ts';

const page = fileURLToPath(new URL('../../../docs/cli.md', import.meta.url));
const heading = '## All commands and flags\n';

const program = createProgram(() => undefined);
const commands = all(program).filter((command) => command.commands.length === 0 || command.name() === 'trust');

describe('docs/cli.md', () => {
  it('has every command and every flag that there is, in the words of their help', () => {
    const reference = referenceOf();
    const text = readFileSync(page, 'utf8');
    // PAWL_WRITE_DOCS=1 npx vitest run packages/cli/test/reference.test.ts
    if (process.env.PAWL_WRITE_DOCS === '1') writeFileSync(page, textBefore(text) + reference);
    expect(readFileSync(page, 'utf8').slice(textBefore(text).length)).toBe(reference);
  });

  it('names no flag and no command that there is not', () => {
    const text = textBefore(readFileSync(page, 'utf8'));
    const flags = new Set(commands.flatMap(({ options }) => options.flatMap(({ long }) => long ?? [])));
    const named = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
    expect([...new Set(named)].filter((flag) => !flags.has(flag) && flag !== '--help')).toEqual([]);
    const known = new Set(program.commands.map((command) => command.name()));
    const called = [...text.matchAll(/(?:^|`|\| )pawl ([a-z]+)/gm)].map(([, name]) => name ?? '');
    expect(called.filter((name) => !known.has(name))).toEqual([]);
  });
});

function textBefore(text: string): string {
  const at = text.indexOf(heading);
  return at === -1 ? `${text.trimEnd()}\n\n` : text.slice(0, at);
}

function referenceOf(): string {
  const run = commands.find((command) => command.name() === 'run');
  const parts = commands.map((command) => partOf(command, run?.options ?? []));
  return `${heading}\nThis list is made from the program; \`pawl help <command>\` prints the same.\n\n${parts.join('\n')}`;
}

/** A command and its flags. Most of those of a run stand there only once. */
function partOf(command: Command, ofRun: readonly Option[]): string {
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const isSame = (option: Option) => ofRun.some((other) => rowOf(other) === rowOf(option));
  const shared = command.name() === 'run' ? [] : command.options.filter(isSame);
  const isLikeRun = shared.length > 10;
  const own = isLikeRun ? command.options.filter((option) => !isSame(option)) : command.options;
  const missing = ofRun.filter(
    (option) => !shared.includes(option) && !shared.some((one) => rowOf(one) === rowOf(option)),
  );
  const rows = [
    ...own.map(rowOf),
    ...(isLikeRun ? [`- the flags of \`pawl run\`, but ${missing.map(({ long }) => `\`${long}\``).join(', ')}\n`] : []),
  ];
  const title = `**\`${[pathOf(command), ...words].join(' ')}\`**: ${command.description()}.`;
  return `${title}\n${rows.length > 0 ? '\n' : ''}${rows.join('')}`;
}

function rowOf({ flags, description, argChoices }: Option): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  return `- \`${flags}\`: ${description.replaceAll('<', '\\<')}${choices}\n`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function all(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...all(child as Command)]);
}
