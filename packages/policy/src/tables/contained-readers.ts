import type { Reader } from './readers.ts';

/**
 * Commands that read where a sandbox keeps them from changing anything and from the network, as data. What a
 * repository's settings make git run (a file monitor, a filter, an external diff) then does no harm; so an entry need not
 * be tight. It leaves out what is meant to change something, because that would fail in the sandbox instead of being
 * asked about, and what shows more than the session's folder (`--no-index`).
 */
const git = (subcommand: string, ...except: string[]): Reader => ({
  subcommand: subcommand.split(' '),
  leading: ['--no-pager', '-P', '--no-optional-locks'],
  options: { except: ['--output', '--no-index', ...except] },
  operands: 'paths',
});

/** Operands name what is made, unless an option says that it lists. */
const gitList = (subcommand: string, only: string, listing: string): Reader => ({
  ...git(subcommand),
  options: { only: [...only.split(' '), ...listing.split(' ')] },
  operandsOnlyWith: listing.split(' '),
});

const listing = '-l --list --contains --no-contains --merged --no-merged --points-at';
const looks = '--sort= --format= --column --no-column --color --no-color -i --ignore-case';

/** Settings that hold no secret and are often asked for. */
const plainSetting = /^(?:user\.(?:name|email)|init\.defaultbranch|core\.[a-z]+|branch\.[^\s]+\.(?:remote|merge))$/i;

const gitReaders: readonly Reader[] = [
  ...`annotate blame cat-file check-attr check-ignore cherry count-objects describe diff diff-files diff-index diff-tree
    for-each-ref log ls-files ls-tree merge-base name-rev range-diff rev-list rev-parse shortlog show show-branch show-ref
    status var whatchanged`
    .split(/\s+/)
    .map((subcommand) => git(subcommand)),
  { ...git('grep', '-O', '--open-files-in-pager'), operands: 'pattern' },
  git('stash list'),
  git('stash show'),
  git('worktree list'),
  git('submodule status'),
  git('remote get-url'),
  git('reflog show'),
  { ...git('reflog'), firstOperand: /^(?!(?:delete|drop|expire|write)$)/ },
  { ...git('remote'), options: { only: ['-v', '--verbose'] }, operandsOnlyWith: [] },
  gitList('branch', `-a --all -r --remotes -v -vv --verbose --show-current --abbrev= ${looks}`, listing),
  gitList('tag', `-n ${looks}`, listing),
  { ...git('config --get'), options: { only: [] }, mostOperands: 1, firstOperand: plainSetting },
  { ...git('config'), options: { only: [] }, mostOperands: 1, firstOperand: plainSetting },
];

export const containedReaders: { readonly [command: string]: readonly Reader[] } = { git: gitReaders };
