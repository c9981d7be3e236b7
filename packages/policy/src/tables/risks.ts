/**
 * What an allow of a command does not cover unless its rule says so, as data: options and subcommands that run another
 * program, load code, or write a file of the caller's choosing.
 */
export type Risk = {
  /** Long options, without dashes; their beginnings count too, as programs take them. */
  long?: readonly string[];
  /** Letters of short options, also within a cluster. */
  short?: string;
  /** Whole words: options of one dash, and subcommands, which count only as the first word that is no option. */
  words?: readonly string[];
  subcommands?: readonly string[];
  /** Beginnings of any argument. */
  beginnings?: readonly string[];
  /** Text in any argument that makes the program run another, as `system(` in `awk`. */
  inside?: RegExp;
  /** What the first word that is no option looks like where it is harmless: a script. */
  harmlessScript?: RegExp;
  /** Letters of the first word where it is options without a dash, as in `tar xf`. */
  bundled?: string;
  /** The only options in front of the subcommand that are harmless. */
  front?: readonly string[];
  /** Options behind which the next word is a text, whatever it looks like. */
  texts?: readonly string[];
  /** Options of one subcommand, as they begin. */
  after?: { readonly [subcommand: string]: readonly string[] };
};

const split = (text: string) => text.split(/\s+/);

/** For every program, known or not. */
export const generalRisk: Risk = {
  long: split(
    `askpass checkpoint-action compress-program editor eval exec execute extcmd hook import init-command loader pager
     post-command pre-command preload program receive-pack require rsh rsync-path script-shell shell
     ssh-command sshcmd to-command upload-pack use-compress-program`,
  ),
};

export const risks: { readonly [name: string]: Risk } = {
  awk: { short: 'fiElo', long: ['file', 'include', 'load', 'exec'], inside: /system\s*\(|\||>|getline|@load|@include/ },
  cargo: { long: ['config', 'manifest-path'], short: 'Z', words: ['install'] },
  cmake: { short: 'EP', long: ['build'] },
  curl: {
    short: 'oOKTDcw',
    long: split(
      'output remote-name config upload-file dump-header cookie-jar output-dir trace trace-ascii stderr libcurl write-out etag-save hsts alt-svc',
    ),
  },
  dd: { beginnings: ['of='] },
  docker: {
    short: 'vH',
    long: split('volume mount privileged device cap-add security-opt pid userns host network env-file config'),
    subcommands: ['exec', 'run', 'cp', 'plugin'],
  },
  emacs: { words: split('-eval --eval -f -l --load -batch --batch --script -Q') },
  find: { words: split('-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls') },
  gawk: {
    short: 'fiElo',
    long: ['file', 'include', 'load', 'exec'],
    inside: /system\s*\(|\||>|getline|@load|@include/,
  },
  gcc: { short: 'B', beginnings: ['-fplugin', '-wrapper', '-specs', '--specs', '@'], words: ['-o'] },
  gdb: { short: 'xe', words: split('-x -ex -iex --command --eval-command -ix') },
  git: {
    front: ['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs', '--version', '--help'],
    long: split(
      `config config-env exec-path git-dir work-tree output output-directory open-files-in-pager ext-diff textconv
       upload-pack receive-pack exec extcmd template smtp-server sendmail-cmd to-cmd cc-cmd header-cmd tool
       separate-git-dir filters strategy cmd index-filter tree-filter no-index unsafe-paths interactive
       recurse-submodules`,
    ),
    texts: ['-m', '--message', '--author', '--date'],
    after: {
      archive: ['-o'],
      clone: ['-c', '-u'],
      'format-patch': ['-o'],
      grep: ['-O'],
      init: ['--sep'],
      merge: ['-s'],
      pull: ['-s'],
      rebase: ['-x', '-i', '-s'],
      worktree: ['add', 'move'],
    },
    subcommands: split(
      `bisect citool config credential cvsimport cvsserver daemon difftool fast-import filter-branch fsmonitor--daemon gui
       help hook imap-send instaweb maintenance mergetool p4 remote-ext remote-fd send-email shell submodule svn
       update-index web--browse`,
    ),
    beginnings: ['ext::', 'fd::', '--upload-p', '--receive-p', '--o=', '--ou', '--exe'],
  },
  go: {
    long: ['exec', 'toolexec', 'overlay', 'modfile'],
    words: ['-exec', '-toolexec', '-o', '-ldflags', '-overlay', '-C', '-modfile'],
    beginnings: ['-exec=', '-toolexec=', '-overlay='],
  },
  grep: {},
  gzip: {},
  less: { short: 'oOkK', beginnings: ['+'] },
  ln: {},
  lua: { short: 'el' },
  make: { short: 'fICE', long: split('file makefile directory include-dir eval'), inside: /^[A-Za-z_]+[:+?!]*=/ },
  node: { short: 'epri', long: split('eval print require import loader experimental-loader env-file inspect') },
  npm: {
    short: 'Cc',
    long: split('script-shell node-options prefix globalconfig userconfig call package registry'),
    subcommands: split('config set exec x explore edit init create'),
  },
  perl: { short: 'eEIMmnpisx' },
  php: { short: 'rBREdcz', long: ['run'] },
  pip: {
    short: 'rceit',
    long: split('requirement constraint editable index-url extra-index-url target prefix root python config-settings'),
  },
  pip3: {
    short: 'rceit',
    long: split('requirement constraint editable index-url extra-index-url target prefix root python config-settings'),
  },
  pnpm: { short: 'C', long: split('script-shell dir config'), subcommands: split('config exec dlx create') },
  python: { short: 'cmiX', long: ['check-hash-based-pycs'] },
  python3: { short: 'cmiX', long: ['check-hash-based-pycs'] },
  rg: { long: split('pre hostname-bin search-zip'), short: 'z' },
  rsync: { short: 'eM', long: split('rsh rsync-path temp-dir log-file write-batch remote-option') },
  ruby: { short: 'eIrnpi' },
  scp: { short: 'SoF', beginnings: ['-J'] },
  sed: {
    short: 'if',
    long: ['in-place', 'file'],
    // Of a script's commands `w` writes and `e` runs.
    harmlessScript:
      /^(?:[0-9,$]*[pdq]|[0-9,$]*s([/|#,])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gIp0-9]*)$/,
    words: ['-e', '--expression'],
  },
  sort: { short: 'oT', long: split('output compress-program temporary-directory files0-from') },
  ssh: { short: 'oFSJEIiLRDWw' },
  tar: {
    short: 'CFIOP',
    bundled: 'CFIOP',
    long: split(
      'to-command use-compress-program checkpoint-action info-script new-volume-script rsh-command rmt-command absolute-names directory one-top-level transform xform',
    ),
    beginnings: ['--checkpoint'],
  },
  tcpdump: { short: 'zwF' },
  tee: {},
  uv: { subcommands: ['tool', 'run', 'pip'] },
  vim: { short: 'cSsuUwW', words: ['--cmd'], beginnings: ['+'] },
  wget: {
    short: 'OoaePi',
    long: split(
      'output-document output-file append-output execute directory-prefix input-file use-askpass post-file config save-cookies warc-file',
    ),
  },
  yarn: { long: split('script-shell cwd use-yarnrc'), subcommands: split('config exec dlx node plugin create') },
  zip: { short: 'TO', long: ['unzip-command', 'test', 'output-file', 'out'], words: ['-TT'] },
};

/** Programs that change the files that they name. */
export const writers: ReadonlySet<string> = new Set(
  'chgrp chmod chown cp dd install ln mkdir mkfifo mknod mv patch rm rmdir rsync sed shred sponge tee touch truncate unlink'.split(
    ' ',
  ),
);
