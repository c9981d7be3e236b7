/** Which session a person means. */
import type { SessionLog, SessionSummary } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';

const all = Number.MAX_SAFE_INTEGER;

/** By its id, an unambiguous beginning of it, or `latest`, which no archived one is. @throws `no_session`, `usage`. */
export async function findSession(log: Pick<SessionLog, 'list'>, named: string): Promise<SessionSummary> {
  if (named === 'latest') {
    const [newest] = await log.list({ limit: 1, isMain: true, isArchived: false });
    if (newest !== undefined) return newest;
    const archived = await onlyArchived(log, {});
    throw archived ?? noSession('There are no sessions yet. Begin one with: pawl run "what to do"');
  }
  const sessions = await log.list({ limit: all });
  const exact = sessions.find(({ session }) => session === named);
  if (exact !== undefined) return exact;
  const begun = named === '' ? [] : sessions.filter(({ session }) => session.startsWith(named));
  // The tasks of a session begin with its id.
  const isBelow = ({ session }: SessionSummary) => begun.some((other) => session.startsWith(`${other.session}.`));
  const [found, ...others] = begun.filter((summary) => !isBelow(summary));
  if (found === undefined) throw noSession(`There is no session "${named}". List them with: pawl sessions list --all`);
  if (others.length === 0) return found;
  const shown = [found, ...others].slice(0, 5).map(({ session }) => session);
  throw new PawlError(
    'usage',
    `"${named}" is the beginning of ${others.length + 1} sessions: ${shown.join(', ')}${others.length > 4 ? ', …' : ''}. Write more of it.`,
  );
}

/** The newest session of a folder that is not archived. @throws `no_session`. */
export async function newestSession(log: Pick<SessionLog, 'list'>, cwd: string): Promise<SessionSummary> {
  const [newest] = await log.list({ cwd, limit: 1, isMain: true, isArchived: false });
  if (newest !== undefined) return newest;
  const archived = await onlyArchived(log, { cwd });
  if (archived !== null) throw archived;
  throw noSession(`There is no session of the folder ${cwd} to continue. Begin one with: pawl run "what to do"`);
}

/** What to say where there are sessions, but each of them was put aside. */
async function onlyArchived(log: Pick<SessionLog, 'list'>, place: { cwd?: string }): Promise<PawlError | null> {
  const [newest] = await log.list({ ...place, limit: 1, isMain: true });
  if (newest === undefined) return null;
  const where = place.cwd === undefined ? '' : ` of the folder ${place.cwd}`;
  return noSession(
    `All sessions${where} are archived. Name the one that you mean: pawl sessions list --archived shows them.`,
  );
}

function noSession(message: string): PawlError {
  return new PawlError('no_session', message);
}
