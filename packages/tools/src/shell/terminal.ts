/** Programs that want a terminal, and commands that wait for an answer: said, instead of waited out. */
import { findsCommand, prepareCommand } from '@pawl/policy';

type TerminalProgram = {
  names: readonly string[];
  /** Ways to run it without a terminal. */
  unless?: readonly string[];
  instead: string;
};

const editors = 'Use edit or write to change files.';
const programs: readonly TerminalProgram[] = [
  { names: ['vim', 'vi', 'view', 'vimdiff'], unless: ['-e', '-E', '-es', '-Es', '--version'], instead: editors },
  { names: ['nvim'], unless: ['--headless', '-es', '-l', '--version'], instead: editors },
  { names: ['emacs'], unless: ['--batch', '-batch', '--script', '--version', '--daemon'], instead: editors },
  { names: ['nano', 'pico', 'joe', 'micro', 'hx', 'mcedit'], unless: ['--version'], instead: editors },
  { names: ['top'], unless: ['-b', '-l'], instead: 'Use top -b -n 1, or ps.' },
  {
    names: ['htop', 'btop', 'atop', 'nvtop', 'iotop'],
    unless: ['-b', '--version'],
    instead: 'Use top -b -n 1, or ps.',
  },
  { names: ['tmux attach', 'tmux a', 'screen -r', 'mc', 'ranger', 'lazygit', 'tig'], instead: 'Use plain commands.' },
];

/** Why a command cannot work without a terminal, or null. Commands of which that is not certain are tried. */
export async function needsTerminal(command: string): Promise<string | null> {
  await prepareCommand(command);
  for (const { names, unless = [], instead } of programs) {
    for (const name of names) {
      if (findsCommand(name, command) !== 'yes') continue;
      if (unless.some((option) => findsCommand(`${name} ${option}`, command) === 'yes')) continue;
      return `${name} needs a terminal, and commands have none. It was not run. ${instead}`;
    }
  }
  return null;
}

const questions =
  /(?:password|passphrase|passcode|username|login)[^\n]{0,80}:\s*$|[[(](?:y|yes)\/(?:n|no)(?:\/[^\])]*)?[\])][^\n]{0,20}$|press (?:any key|enter|return)[^\n]{0,40}$|\?[^\n]{0,60}[›❯]\s*$|\?\s*[>:]?\s*$/i;

/** Whether the end of an output reads like a question to whoever sits at the terminal. */
export function isAsking(output: string): boolean {
  return questions.test(output.slice(-400).trimEnd());
}
