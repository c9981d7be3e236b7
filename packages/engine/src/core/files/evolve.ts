/** Which files the session has read and changed, and in which version. */
import type { DurableEvent } from '@pawl/protocol';
import type { State } from '../state.ts';

export function evolveFiles(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'tool.finished': {
      const call = state.turn?.calls.find(({ id }) => id === event.data.call);
      if (call !== undefined) remember(state, event.data.details?.files, call.claims?.effect !== 'read');
      break;
    }
    case 'files.reverted':
      // The session has known this content before, so it need not read the file again before an edit.
      remember(state, event.data.files, true);
      break;
  }
}

function remember(state: State, files: unknown, isChange: boolean): void {
  if (typeof files !== 'object' || files === null) return;
  for (const [path, digest] of Object.entries(files)) {
    // Delete first, so that the path moves to the end.
    state.files.delete(path);
    state.files.set(path, typeof digest === 'string' ? digest : null);
    if (isChange) state.edited = [...state.edited.filter((other) => other !== path), path];
  }
}
