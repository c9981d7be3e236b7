export type FilesState = {
  /** Digest of each file as the session last read or wrote it; null for deleted. The one seen last stands last. */
  files: Map<string, string | null>;
  /** The files that it changed, the last one last. */
  edited: string[];
};

export const initialFiles = (): FilesState => ({ files: new Map(), edited: [] });
