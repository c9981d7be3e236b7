/** Something that stands below the transcript and has the keys for as long as it is there. */
export type Panel = {
  draw(size: PanelSize): Drawn;
  press(key: string): void;
};

/** `isReady`: its keys are taken. They are shown from then on, so that nobody answers what they could not read. */
type PanelSize = { columns: number; rows: number; isReady: boolean };

export type Drawn = { rows: string[]; cursor: { row: number; column: number } | null };

/** The last rows of a panel are its keys; of the rest, as many as there is room for, from `from` on. */
export function windowed(
  rows: readonly string[],
  { from, room, more }: { from: number; room: number; more: (left: number) => string },
): { rows: string[]; from: number } {
  if (rows.length <= room) return { rows: [...rows], from: 0 };
  const kept = Math.max(1, room - 1);
  const begin = Math.max(0, Math.min(from, rows.length - kept));
  const left = rows.length - begin - kept;
  return { rows: [...rows.slice(begin, begin + kept), more(left)], from: begin };
}
