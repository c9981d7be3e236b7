import type { SessionQuery, SessionSummary } from '@pawl/engine';
import { oneLine } from '@pawl/engine/readers/visible';
import { modelText, workflowText } from '@pawl/engine/readers/words';
import { createStyle, type Style, wantsColour } from '@pawl/terminal/text/style';
import { cutToWidth } from '@pawl/terminal/text/width';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { parseCount, parseFolder } from '../values.ts';
import { withLog } from './open.ts';

export type ListFlags = { search?: string; all?: true; archived?: true; tasks?: true; limit?: string; json?: true };

/** `pawl sessions list`: of this folder unless asked for all, newest first; tasks below the sessions that they are of. */
export async function listSessions(flags: ListFlags): Promise<ExitCode> {
  const { search, all, limit, json } = flags;
  const query: SessionQuery = {
    ...(search !== undefined && { search }),
    ...(limit !== undefined && { limit: parseCount('--limit', limit) }),
    ...(all !== true && { cwd: parseFolder('this folder', '.') }),
    isArchived: flags.archived === true,
    ...(flags.tasks !== true && { isMain: true }),
  };
  const sessions = inTrees(await withLog((log) => log.list(query)));
  const output = openOutput(process.stdout);
  if (json === true) await output.write(`${JSON.stringify(sessions, null, 2)}\n`);
  else await output.write(tableOf(sessions, all === true));
  await output.flush();
  if (sessions.length === 0 && json !== true) printNotice(`${noneText(flags)}`);
  return exitCodes.completed;
}

/** Each task after the session that asked for it, in the order of their ids. */
function inTrees(sessions: readonly SessionSummary[]): SessionSummary[] {
  const ownerOf = ({ session }: SessionSummary) => session.slice(0, Math.max(0, session.lastIndexOf('.')));
  const ids = new Set(sessions.map(({ session }) => session));
  const withTasks = (summary: SessionSummary): SessionSummary[] => {
    const tasks = sessions.filter((other) => ownerOf(other) === summary.session);
    tasks.sort((one, other) => one.session.localeCompare(other.session, 'en', { numeric: true }));
    return [summary, ...tasks.flatMap(withTasks)];
  };
  return sessions.filter((summary) => !ids.has(ownerOf(summary))).flatMap(withTasks);
}

function noneText({ search, all }: ListFlags): string {
  const where = all === true ? '' : ' in this folder';
  if (search !== undefined) return `No session${where} matches. ${all === true ? '' : 'Try --all.'}`.trim();
  return `There are no sessions${where} yet. ${all === true ? 'Begin one with: pawl run "what to do"' : 'Try --all.'}`;
}

function tableOf(sessions: readonly SessionSummary[], isOfAll: boolean): string {
  const style = createStyle(wantsColour(process.stdout));
  const columns = process.stdout.isTTY === true ? Math.max(40, process.stdout.columns || 80) : null;
  return sessions.map((summary) => `${rowOf(summary, isOfAll, style, columns)}\n`).join('');
}

/** Id, last change, marks, what it is about. */
function rowOf(summary: SessionSummary, isOfAll: boolean, style: Style, columns: number | null): string {
  const { session, updatedAt, title, firstMessage, model, cwd, isLocked, forkedFrom, origin } = summary;
  const time = localTime(updatedAt);
  const marks = [
    ...(isLocked ? ['running'] : []),
    ...(forkedFrom === null ? [] : [`fork of ${forkedFrom}`]),
    ...(origin.user === undefined ? [] : [`for ${oneLine(origin.user)}`]),
    ...(origin.workflow === undefined ? [] : [oneLine(workflowText(origin))]),
  ];
  const about = oneLine(title ?? firstMessage) || '(no input yet)';
  const rest = [
    ...marks.map((mark) => `[${mark}]`),
    about,
    `— ${modelText(model)}`,
    ...(isOfAll ? [`in ${oneLine(cwd)}`] : []),
  ].join(' ');
  const room = columns === null ? null : Math.max(10, columns - session.length - time.length - 4);
  const indent = '  '.repeat(session.split('.').length - 1);
  return `${indent}${style.bold(session)}  ${style.dim(time)}  ${room === null ? rest : cutToWidth(rest, room)}`;
}

function localTime(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
