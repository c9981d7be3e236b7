import type { ToolContext, ToolOutcome, ToolPlan } from '@pawl/engine';
import type { Json, Preview } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { replaceFile } from './atomic.ts';
import { digestOf, type FileBytes, readFileBytes } from './files.ts';
import type { Place } from './paths.ts';
import { previewChange } from './preview.ts';

/** A file as it is and as it shall be, worked out without touching it. */
export type Change = {
  place: Place;
  before: FileBytes | null;
  after: Buffer;
  /** Both sides as text for people; null where the old bytes are none. */
  text: { before: string | null; after: string };
};

const absent = 'absent';

/** What the judgement of a change rests on. */
const basisOf = ({ before }: Change) => before?.digest ?? absent;

/** What tells after a crash whether a change was made. */
type Evidence = { path: string; before: string; after: string };

const evidenceOf = (change: Change): Evidence => ({
  path: change.place.path,
  before: basisOf(change),
  after: digestOf(change.after),
});

function readEvidence(evidence: Json): Evidence | null {
  if (typeof evidence !== 'object' || evidence === null || Array.isArray(evidence)) return null;
  const { path, before, after } = evidence;
  if (typeof path !== 'string' || typeof before !== 'string' || typeof after !== 'string') return null;
  return { path, before, after };
}

export async function planChange(change: Change): Promise<ToolPlan> {
  const { place, text } = change;
  const preview = await previewChange(place.shown, text.before, text.after);
  return { preview, basis: basisOf(change), evidence: evidenceOf(change) };
}

/** @throws `outdated`, with nothing touched, when the file is not as it was when the change was judged. */
export async function applyChange(change: Change, context: ToolContext, maxBytes: number): Promise<ToolOutcome> {
  const { place, before, after } = change;
  const outdated = () =>
    new PawlError('outdated', `${place.shown} is not as it was when this change was judged. Nothing was changed.`);
  const isJudgedPlace = context.paths.length === 0 || context.paths.includes(place.path);
  if (!isJudgedPlace || (context.basis !== null && context.basis !== basisOf(change))) throw outdated();
  await replaceFile(place, after, before, async () => {
    context.signal.throwIfAborted();
    const now = await readFileBytes(place, maxBytes);
    if ((now?.digest ?? absent) !== basisOf(change)) throw outdated();
  });
  return describeChange(
    place,
    digestOf(after),
    await previewChange(place.shown, change.text.before, change.text.after),
  );
}

function describeChange(place: Place, digest: string, { kind: _, ...preview }: Preview): ToolOutcome {
  const { added = 0, removed = 0, createdFiles = [] } = preview;
  const deed = createdFiles.length > 0 ? 'Created' : added + removed === 0 ? 'Unchanged:' : 'Changed';
  return {
    content: `${deed} ${place.shown} (+${added} -${removed} lines).`,
    details: { diff: preview.text, added, removed, createdFiles, files: { [place.path]: digest } },
  };
}

/** Whether a change that was begun before a crash is there, is not, or something else is. */
export async function reconcileChange(
  evidence: Json,
  shown: string,
  maxBytes: number,
): Promise<ToolOutcome | 'not_done' | null> {
  const known = readEvidence(evidence);
  if (known === null) return null;
  const now = await readFileBytes({ path: known.path, shown }, maxBytes);
  const digest = now?.digest ?? absent;
  if (digest === known.after) {
    return {
      content: `Changed ${shown}. The program was interrupted right after, and found the change whole.`,
      details: { files: { [known.path]: digest } },
    };
  }
  return digest === known.before ? 'not_done' : null;
}
