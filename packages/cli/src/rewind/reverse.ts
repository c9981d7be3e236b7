/** Puts files back, or forth, and says what was done. */
import type { FileChanges } from '@pawl/engine/readers';
import { oneLine } from '@pawl/engine/readers/visible';
import { PawlError } from '@pawl/protocol';
import { diffLines } from '@pawl/terminal/text/diff';
import { createStyle, wantsColour } from '@pawl/terminal/text/style';
import { planReversal, type Reversal } from '@pawl/tools/undo';
import { openOutput } from '../output/stdout.ts';
import type { ParentFolder } from './resting-session.ts';

export type ReverseFlags = {
  /** Only shows what would be done. */
  dryRun?: true;
  /** Leaves out what cannot be put back, instead of doing nothing. */
  skipChanged?: true;
  /** Also outside of the session's folder. */
  outside?: true;
  /** Also what other programs obey. */
  obeyed?: true;
  json?: true;
};

export const planFor = (
  { log, summary }: ParentFolder,
  changes: FileChanges,
  direction: 'undo' | 'redo',
  { outside, obeyed }: ReverseFlags = {},
): Promise<Reversal> =>
  planReversal(changes, {
    direction,
    session: summary.session,
    cwd: summary.cwd,
    blobs: log,
    allowsOutside: outside === true,
    allowsObeyed: obeyed === true,
  });

const maxListed = 20;

const listed = (lines: readonly string[]) => [
  ...lines.slice(0, maxListed),
  ...(lines.length > maxListed ? [`  and ${lines.length - maxListed} more`] : []),
];

/** Nothing is done if a part cannot be, unless that was said to be left out. @throws `not_undoable`. */
export function refuseBlocked({ blocked }: Reversal, flags: ReverseFlags): void {
  if (blocked.length === 0 || flags.skipChanged === true) return;
  const lines = listed(blocked.map(({ shown, reason }) => `  ${shown} ${reason}`));
  const ways = [
    ...(blocked.some(({ needs }) => needs === 'allowsOutside') ? ['--outside to include what lies outside'] : []),
    ...(blocked.some(({ needs }) => needs === 'allowsObeyed') ? ['--obeyed to include what other programs obey'] : []),
  ];
  throw new PawlError(
    'not_undoable',
    `Nothing was changed, because not all of it can be put back:\n${lines.join('\n')}\n${['Say --skip-changed to put back the rest', ...ways].join(', or ')}.`,
  );
}

/** Does it, unless it is only to be shown. Returns whether files were changed. */
export async function perform(reversal: Reversal, flags: ReverseFlags): Promise<boolean> {
  refuseBlocked(reversal, flags);
  if (flags.dryRun === true) {
    const style = createStyle(wantsColour(process.stdout));
    const output = openOutput(process.stdout);
    const { text } = await reversal.preview();
    if (text !== '') await output.write(`${diffLines(text, style).join('\n')}\n`);
    await output.flush();
    return false;
  }
  for (const rest of await reversal.apply()) process.stderr.write(`${oneLine(rest)}\n`);
  return reversal.steps.length > 0;
}

/** What was or would be done, path by path, and what nobody can put back. For people. */
export function report(reversal: Reversal, { blindCalls }: FileChanges, flags: ReverseFlags): string {
  const would = flags.dryRun === true ? 'would be ' : '';
  const lines = listed(reversal.steps.map(({ shown, deed }) => `  ${shown} ${would}${deed}`));
  const left = listed(reversal.blocked.map(({ shown, reason }) => `  ${shown} was left: it ${reason}`));
  const blind = listed(blindCalls.map(({ tool, argument }) => `  ${oneLine(tool)} ${oneLine(argument)}`.trimEnd()));
  const warning = 'These calls may have changed more, of which nothing is known, and it stays as it is:';
  return [...lines, ...left, ...(blind.length > 0 ? [warning, ...blind] : [])].map((line) => `${line}\n`).join('');
}

/** The same for programs. */
export const reportJson = (reversal: Reversal, { turns, blindCalls }: FileChanges, more: object = {}) =>
  `${JSON.stringify({ turns, changed: reversal.steps, blocked: reversal.blocked, unknown: blindCalls, ...more }, null, 2)}\n`;
