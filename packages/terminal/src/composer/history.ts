/** What was written before, across sessions, and what is being written: files that outlive the process. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const mostEntries = 500;

/** Lines that were sent, oldest first. A file that is not there or damaged holds nothing. */
export function readHistory(folder: string): string[] {
  try {
    const lines = readFileSync(historyPath(folder), 'utf8').split('\n');
    return lines.slice(-mostEntries - 1).flatMap((line) => {
      const value = parse(line);
      return typeof value === 'string' ? [value] : [];
    });
  } catch {
    return [];
  }
}

/** That it cannot be written harms nothing but itself. */
export function addToHistory(folder: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    appendFileSync(historyPath(folder), `${JSON.stringify(text)}\n`, { mode: 0o600 });
  } catch {
    // As said above.
  }
}

/** What was being written for this session, or, before there is one, in this folder. */
export function readDraft(folder: string, key: string): string {
  try {
    return readFileSync(draftPath(folder, key), 'utf8');
  } catch {
    return '';
  }
}

export function writeDraft(folder: string, key: string, text: string): void {
  const path = draftPath(folder, key);
  try {
    if (text.trim() === '') {
      rmSync(path, { force: true });
      return;
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // As with the history.
  }
}

const historyPath = (folder: string) => join(folder, 'history.jsonl');
const draftPath = (folder: string, key: string) => join(folder, `draft-${key.replaceAll(/[^\w-]+/g, '_').slice(-100)}`);

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
