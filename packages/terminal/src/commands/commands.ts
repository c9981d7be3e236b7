/** The commands that begin with a slash, and what becomes of a line with one. */
import { PawlError } from '@pawl/protocol';
import { agentCommands } from './agents.ts';
import type { Command, Commander } from './command.ts';
import { programCommands } from './program.ts';
import { sessionCommands } from './sessions.ts';
import { textCommands } from './text.ts';

const commands: readonly Command[] = [...sessionCommands, ...agentCommands, ...programCommands, ...textCommands].sort(
  (one, other) => (one.name < other.name ? -1 : 1),
);

const help: Command = {
  name: 'help',
  description: 'show commands and keys',
  run: (_, { notice }) => notice(helpText()),
};

export const commandList = (): readonly Command[] => [help, ...commands];

/** @throws `usage` for one that there is not, and what the command throws. */
export async function runCommand(line: string, at: Commander): Promise<void> {
  const [, name = '', words = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = commandList().find((each) => each.name === name);
  if (command === undefined)
    throw new PawlError('usage', `There is no command /${name}. /help shows those that there are.`);
  await command.run(words.trim(), at);
}

const keys: readonly [key: string, words: string][] = [
  ['Enter', 'send; while a turn runs, the model sees it before its next step'],
  ['Shift-Enter, Ctrl-J', 'a new line'],
  ['Esc', 'cancel the turn'],
  ['Ctrl-C', 'clear what is written; then cancel; then leave'],
  ['Shift-Tab', 'the next mode: manual, accept-edits, plan, auto'],
  ['Ctrl-O', 'read the whole session, unfolded, and search in it'],
  ['Alt-Up', 'take back the newest input that waits, to write it anew'],
  ['Up, Down', 'what was written before'],
  ['@', 'name a file'],
  ['!command', 'run a command here, and tell the agent what came of it; !! keeps it to yourself'],
  ['Ctrl-Z', 'stop the program; the shell’s fg goes on'],
];

function helpText(): string {
  const list = commandList().map(({ name, hint, description }): [string, string] => [
    `/${name}${hint === undefined ? '' : ` ${hint}`}`,
    description,
  ]);
  const width = Math.max(...[...list, ...keys].map(([left]) => left.length));
  const rows = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
  return `Commands\n${rows(list)}\n\nKeys\n${rows(keys)}`;
}
