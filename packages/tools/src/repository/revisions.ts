import { PawlError } from '@pawl/protocol';
import { escapeName } from '../escape.ts';
import type { Git } from './git.ts';

/**
 * What `main`, `HEAD~3`, `a..b` or `a...b` means, as the hashes to give to git: a name is only ever looked up, so none
 * can be an option (`--upload-pack=…` is a name that a branch can have).
 * @throws `bad_revision`.
 */
export async function revisionsOf(git: Git, text: string): Promise<{ words: string[]; isRange: boolean }> {
  const range = /^(.*?)(\.\.\.?)(.*)$/.exec(text);
  if (range === null) return { words: [await hashOf(git, text)], isRange: false };
  const [, from = '', dots = '..', to = ''] = range;
  return { words: [`${await hashOf(git, from || 'HEAD')}${dots}${await hashOf(git, to || 'HEAD')}`], isRange: true };
}

/** The commit that a name stands for. @throws `bad_revision`. */
async function hashOf(git: Git, name: string): Promise<string> {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const found = /\p{Cc}/u.test(name) ? null : await git.run(asked, { codes: [0, 1, 128] });
  const hash = /^[0-9a-f]{40,64}$/m.exec(found?.code === 0 ? found.output : '')?.[0];
  if (hash !== undefined) return hash;
  throw new PawlError('bad_revision', `There is no commit ${JSON.stringify(escapeName(name.slice(0, 200)))} here.`);
}

/** The commit that is checked out; null in a repository that has none yet. */
export async function headOf(git: Git): Promise<string | null> {
  const { code, output } = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { codes: [0, 1, 128] });
  return code === 0 ? output.trim() : null;
}
