/** What a patch asks for, whichever way it is written. */

export type PatchLine = { mark: ' ' | '-' | '+'; text: string };

export type Hunk = {
  /** Lines that stand somewhere before it, each after the last: a class, a function. */
  anchors: readonly string[];
  /** Where its first old line stood, from 1, as the patch says; null where it does not. */
  line: number | null;
  lines: readonly PatchLine[];
  /** Its last old line is the file's last. */
  isAtEnd: boolean;
  /** Whether the new last line has a line end, where the patch says. */
  endsWithLineEnd: boolean | null;
};

export type FilePatch =
  | { kind: 'add'; path: string; lines: readonly string[]; endsWithLineEnd: boolean; isExecutable: boolean }
  | { kind: 'delete'; path: string; hunks: readonly Hunk[] }
  | { kind: 'update'; path: string; moveTo: string | null; hunks: readonly Hunk[] };
