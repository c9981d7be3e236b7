/** A rule that is to outlast the session, into the settings of the user or of the project. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '@pawl/policy';
import type { JsonObject } from '@pawl/protocol';
import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import { projectConfigPath, projectFolder, userConfigPath } from '../config/paths.ts';
import { readTrust, trustOf, writeTrust } from '../policy/trust.ts';
import type { Scope } from './ask.ts';

/** How often a file that others change at the same time is read anew. */
const maxTries = 5;

/**
 * Adds an allow rule, keeping all else that stands in the file, comments too. A project's file that was trusted, or
 * brought nothing along, is trusted with the rule in it: whoever adds it has read it.
 * @throws `rule_not_kept`, with nothing written.
 */
export async function keepRule(scope: Exclude<Scope, 'session'>, rule: string, cwd: string): Promise<void> {
  try {
    if (scope === 'user') await addRule(userConfigPath(process.env), rule, () => undefined);
    else await addToProject(rule, cwd);
  } catch (cause) {
    if (isPawlError(cause, 'rule_not_kept')) throw cause;
    throw notKept(messageOf(cause), cause);
  }
}

const notKept = (why: string, cause?: unknown) =>
  new PawlError('rule_not_kept', `The rule was not added, and nothing was allowed: ${why}`, { cause });

async function addToProject(rule: string, cwd: string): Promise<void> {
  const existing = projectConfigPath(cwd);
  const folder = existing === null ? projectFolder(cwd) : dirname(dirname(existing));
  const path = existing ?? join(folder, '.pawl', 'config.yaml');
  const place = existsSync(dirname(path)) ? realpathSync(dirname(path)) : dirname(path);
  const isOwn = isInside(realpathSync(folder), existing === null ? place : realpathSync(existing));
  // A repository may ship a link in the place of its settings.
  if (existsSync(dirname(path)) && !isOwn) throw notKept(`${path} leads out of the project.`);
  await addRule(path, rule, (before, after) => {
    const { state } = trustOf(folder, before);
    if (state === 'unknown' || state === 'changed') {
      throw notKept(`${path} brings things along that you have not trusted. Look at them with: pawl trust`);
    }
    const { digest } = trustOf(folder, after);
    return () => {
      if (digest !== null) writeTrust({ ...readTrust(), [folder]: { digest, at: Date.now() } });
    };
  });
}

/** `check` sees the settings before and after, may refuse by throwing, and gives what is to be done once they are written. */
type Check = (before: JsonObject, after: JsonObject) => (() => void) | undefined;

async function addRule(named: string, rule: string, check: Check): Promise<void> {
  // Settings are often links into a folder of their own; the link stays.
  const path = existsSync(named) ? realpathSync(named) : named;
  for (let attempt = 1; ; attempt++) {
    const text = readIfThere(path);
    const changed = await withRule(text, rule);
    const then = check(changed.before, changed.after);
    if (changed.text === text) {
      then?.();
      return;
    }
    const { noteOwnWrite } = await import('@pawl/tools');
    noteOwnWrite(path);
    const isWritten = replaceFile(path, changed.text, () => readIfThere(path) === text);
    if (isWritten) {
      then?.();
      return;
    }
    if (attempt === maxTries) throw notKept(`${path} is being changed by someone else.`);
  }
}

const readIfThere = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);

/** The settings with the rule among `rules.allow`. @throws what is wrong with them as they are. */
async function withRule(
  text: string | null,
  rule: string,
): Promise<{ text: string; before: JsonObject; after: JsonObject }> {
  const { isMap, isSeq, parseDocument } = await import('yaml');
  const document = parseDocument(text ?? '');
  const [error] = document.errors;
  if (error !== undefined) throw new Error(error.message.split('\n')[0]);
  const before: unknown = document.toJS() ?? {};
  if (typeof before !== 'object' || before === null || Array.isArray(before))
    throw new Error('the settings are no mapping.');
  const rules = document.get('rules');
  const allowed = isMap(rules) ? rules.get('allow') : null;
  // What stands for something written elsewhere would change there too.
  if ((rules != null && !isMap(rules)) || (allowed != null && !isSeq(allowed))) {
    throw new Error('rules.allow is not written as a list of its own. Add it yourself.');
  }
  if (allowed === null || allowed === undefined) document.setIn(['rules', 'allow'], document.createNode([rule]));
  else if (!allowed.toJSON().includes(rule)) allowed.add(document.createNode(rule));
  else return { text: text ?? '', before: before as JsonObject, after: before as JsonObject };
  return { text: document.toString({ lineWidth: 0 }), before: before as JsonObject, after: document.toJS() };
}

/** Whole or not at all; false where `isAsRead` says at the last moment that it is another file by now. */
function replaceFile(path: string, text: string, isAsRead: () => boolean): boolean {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`;
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o600;
  try {
    const file = openSync(fresh, 'wx', mode);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    chmodSync(fresh, mode);
    if (!isAsRead()) return false;
    renameSync(fresh, path);
    return true;
  } finally {
    rmSync(fresh, { force: true });
  }
}
