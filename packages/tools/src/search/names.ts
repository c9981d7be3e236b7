/** The names of a folder's files, for people who choose one. */
import { ripgrep } from './ripgrep.ts';

/** From the folder, without what is ignored, at most `most`. @throws `search_failed`. */
export async function fileNames(
  cwd: string,
  most: number,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string[]> {
  let text = '';
  let count = 0;
  const { signal } = new AbortController();
  await ripgrep({ cwd, file: null, options: ['--files', '--null'], environment, signal }, (chunk) => {
    text += chunk.toString('utf8');
    count += chunk.toString('latin1').split('\0').length - 1;
    return count < most;
  });
  return text
    .split('\0')
    .slice(0, -1)
    .slice(0, most)
    .map((name) => name.replace(/^\.\//, ''))
    .sort();
}
