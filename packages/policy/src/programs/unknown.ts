/** What is told of the arguments of programs that no table knows. */
import type { Word } from '../shell/word.ts';

/** Long options that mean the same wherever they are found: they run a program, load code or write a file. */
const suspicious = `askpass checkpoint-action compress-program editor eval exec execute extcmd hook import init-command
  loader log-file logfile output output-file pager post-command pre-command preload program receive-pack require rsh
  rsync-path script-shell shell ssh-command sshcmd to-command upload-pack use-compress-program`.split(/\s+/);

/** Whether a word is such an option, or its beginning, which programs take for the whole. */
export function isSuspicious({ text }: Word): boolean {
  if (text === null || !text.startsWith('--')) return false;
  const name = text.slice(2).split('=')[0] as string;
  return name.length > 0 && suspicious.some((option) => option.startsWith(name));
}
