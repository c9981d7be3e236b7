/** Limits of two files: the smaller one holds. */
import type { TaskSettings } from '@pawl/protocol';

/** No limit is the largest; a wait of 0 is for ever. */
const sizeOf = (name: string, limit: unknown): number =>
  typeof limit !== 'number' || (name === 'approvalTimeoutMs' && limit === 0) ? Number.POSITIVE_INFINITY : limit;

export function smaller<Of extends object>(one: Partial<Of>, other: Partial<Of>): Partial<Of> {
  const entries = [...Object.entries(one), ...Object.entries(other)].sort(
    ([left, leftLimit], [right, rightLimit]) => sizeOf(right, rightLimit) - sizeOf(left, leftLimit),
  );
  // Of entries with the same name the last holds.
  return Object.fromEntries(entries) as Partial<Of>;
}

export function stricterTasks(
  { resume, ...user }: Partial<TaskSettings>,
  { resume: projects, ...project }: Partial<TaskSettings>,
): Partial<TaskSettings> {
  const wanted = [resume, projects].includes('cancel') ? 'cancel' : (resume ?? projects);
  return { ...smaller(user, project), ...(wanted !== undefined && { resume: wanted }) };
}

/** Those of the given limits that are no larger than the ceiling's, and the names of the others. */
export function within<Of extends object, Given extends Partial<Of>>(
  given: Given,
  ceiling: Of,
): { kept: Given; wider: string[] } {
  const most = new Map<string, unknown>(Object.entries(ceiling));
  const isWider = ([name, limit]: [string, unknown]) => sizeOf(name, limit) > sizeOf(name, most.get(name));
  const entries = Object.entries(given);
  return {
    kept: Object.fromEntries(entries.filter((entry) => !isWider(entry))) as Given,
    wider: entries.filter(isWider).map(([name]) => name),
  };
}
