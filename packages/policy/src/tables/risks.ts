import { plainFormat, printingSed } from './scripts.ts';

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
    `askpass checkpoint-action compress-program editor eval exec execute extcmd hook import init-command loader log-file
     logfile output output-file pager post-command pre-command preload program receive-pack require rsh rsync-path
     script-shell shell ssh-command sshcmd to-command upload-pack use-compress-program`,
  ),
};

/** As GNU has it: the others know less. `@name(` calls what a variable names, and `-W` stands before any long option. */
const awk: Risk = {
  short: 'fiEloDdpW',
  long: split('file include load exec profile dump-variables pretty-print debug'),
  inside: /system\s*\(|\||>|getline|@/,
};

const make: Risk = {
  short: 'fICE',
  long: split('file makefile directory include-dir eval'),
  inside: /^[A-Za-z_]+[:+?!]*=/,
};

const pip: Risk = {
  short: 'rceitfdw',
  long: split(
    `requirement constraint editable index-url extra-index-url target prefix root python config-settings log cache-dir
     find-links report dest wheel-dir`,
  ),
  subcommands: ['config'],
};

/** The shell's own that take names: the index in one is evaluated, and may hold a substitution (`a[$(x)]`). */
const naming: Risk = { inside: /\[/ };

/** Programs that run one of the project's, by the word behind which it stands; its own entry tells of its options. */
export const projectRunners: { readonly [name: string]: readonly string[] } = {
  bundle: ['exec'],
  hatch: ['run'],
  npm: ['exec', 'x'],
  pdm: ['run'],
  pipenv: ['run'],
  pnpm: ['exec'],
  poetry: ['run'],
  python: ['-m'],
  python3: ['-m'],
  rye: ['run'],
  uv: ['run'],
  yarn: ['run', 'exec'],
};

/** Programs in JavaScript whose settings and plugins are programs too. */
const pluggable: Risk = {
  short: 'co',
  long: split(
    `config plugin parser rulesdir resolve-plugins-relative-to root rootDir dir outputFile outputDirectory output-dir
     outDir outFile tsBuildInfoFile declarationDir globalSetup globalTeardown setupFiles setupFilesAfterEnv environment
     testEnvironment testRunner runner transform resolver snapshotSerializers pool`,
  ),
  inside: /^--[a-z]+\.(?:custom|provider)/,
};

export const risks: { readonly [name: string]: Risk } = {
  '[': { words: ['-v', '-R'] },
  awk,
  babel: pluggable,
  bun: { short: 'epr', long: ['print', 'config', 'cwd'], subcommands: ['x', 'exec', 'create'] },
  cargo: {
    long: split('config manifest-path target-dir out-dir artifact-dir lockfile-path'),
    short: 'ZC',
    words: ['install'],
  },
  cmake: { short: 'EP', long: ['build'] },
  curl: {
    short: 'oOKTDcw',
    long: split(
      'output remote-name config upload-file dump-header cookie-jar output-dir trace trace-ascii stderr libcurl write-out etag-save hsts alt-svc engine ssl-sessions unix-socket abstract-unix-socket',
    ),
  },
  dd: { beginnings: ['of='] },
  declare: naming,
  docker: {
    short: 'vH',
    front: ['--debug', '-D', '--help', '--version', '-v'],
    long: split(
      `volume mount privileged device cap-add security-opt pid userns host network env-file config cidfile iidfile
       metadata-file`,
    ),
    subcommands: split('exec run cp plugin context'),
    after: {
      build: ['-o'],
      buildx: ['-o', 'bake'],
      compose: split('run exec cp -f --f --project-d --env-f'),
      container: split('run exec cp export'),
      export: ['-o'],
      image: ['save'],
      save: ['-o'],
    },
  },
  emacs: { words: split('-eval --eval -f -l --load -batch --batch --script -Q') },
  export: naming,
  find: { words: split('-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls') },
  eslint: pluggable,
  gawk: awk,
  gcc: { short: 'B', beginnings: ['-fplugin', '-wrapper', '-specs', '--specs', '@'], words: ['-o'] },
  gdb: { short: 'xe', inside: /^--?(?:command|eval|ex|iex|init|ix|pi|x)/ },
  gh: { words: ['--', '--editor', '-e'], subcommands: split('alias auth codespace config extension') },
  git: {
    front: ['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs', '--version', '--help'],
    long: split(
      `config config-env exec-path git-dir work-tree output output-directory open-files-in-pager ext-diff textconv
       upload-pack receive-pack exec extcmd template smtp-server sendmail-cmd to-cmd cc-cmd header-cmd tool
       separate-git-dir filters strategy cmd index-filter tree-filter no-index unsafe-paths interactive
       recurse-submodules recursive prefix`,
    ),
    texts: ['-m', '--message', '--author', '--date'],
    after: {
      archive: ['-o'],
      bugreport: ['-o'],
      bundle: ['create'],
      clone: ['-c', '-u'],
      diagnose: ['-o'],
      'format-patch': ['-o'],
      grep: ['-O'],
      init: ['--sep'],
      mailsplit: ['-o'],
      merge: ['-s'],
      pull: ['-s'],
      rebase: ['-x', '-i', '-s'],
      worktree: ['add', 'move'],
    },
    subcommands: split(
      `bisect citool config credential credential-cache--daemon credential-store cvsimport cvsserver daemon difftool
       fast-import filter-branch fsmonitor--daemon gui help hook imap-send instaweb maintenance merge-index mergetool p4 remote-ext remote-fd send-email shell submodule svn
       update-index web--browse`,
    ),
    beginnings: split(
      'ext:: fd:: --upload-p --receive-p --o= --ou --exe --remote=ext:: --remote=fd:: --repo=ext:: --repo=fd::',
    ),
  },
  gmake: make,
  // What has a version is fetched, and then run.
  go: {
    inside:
      /^--?(?:C|asmflags|compiler|exec|gccgoflags|gcflags|ldflags|modfile|o|outputdir|overlay|pkgdir|toolexec|trace|vettool|[a-z]*profile)(?:=|$)|^[^-].*@/,
    after: { env: ['-w', '-u', '--w', '--u'] },
    subcommands: ['tool'],
  },
  gradle: {
    short: 'bcpIgD',
    long: split('init-script build-file project-dir gradle-user-home include-build settings-file'),
  },
  getopts: naming,
  grep: {},
  gzip: {},
  jest: pluggable,
  kubectl: {
    long: ['kubeconfig', 'output-directory'],
    subcommands: split('attach config cp debug edit exec plugin port-forward proxy run'),
  },
  less: {
    short: 'oOkKtT',
    beginnings: ['+'],
    long: split('log-file LOG-FILE lesskey-file lesskey-src lesskey-content tag-file'),
  },
  ln: {},
  local: naming,
  lua: { short: 'el' },
  make,
  man: { short: 'PHCl', long: split('html browser config-file preprocessor local-file') },
  mawk: awk,
  mocha: pluggable,
  mvn: { short: 'fstD', long: split('file settings global-settings toolchains') },
  nawk: awk,
  ninja: { short: 'Cf' },
  node: {
    short: 'epri',
    long: split(
      `eval print require import loader experimental-loader env-file env-file-if-exists inspect inspect-brk inspect-port
       inspect-wait cpu-prof cpu-prof-dir diagnostic-dir heap-prof heap-prof-dir redirect-warnings report-directory
       report-filename trace-event-file-pattern openssl-config experimental-config-file
       experimental-default-config-file build-snapshot snapshot-blob experimental-sea-config build-sea
       localstorage-file icu-data-dir tls-keylog test-reporter test-reporter-destination test-global-setup`,
    ),
  },
  npm: {
    short: 'Cc',
    long: split('script-shell node-options prefix globalconfig userconfig call package registry'),
    subcommands: split('config set exec x explore edit init create'),
  },
  perl: { short: 'eEIMmnpisxd' },
  php: { short: 'rBREdczS', long: ['run', 'server', 'define', 'php-ini'] },
  pip,
  pip3: pip,
  pnpm: { short: 'C', long: split('script-shell dir config'), subcommands: split('config exec dlx create') },
  printf: { short: 'v', harmlessScript: plainFormat },
  prettier: { ...pluggable, short: 'o' },
  pytest: {
    short: 'pco',
    long: split(
      'rootdir confcutdir junitxml junit-xml basetemp pdbcls override-ini cov-report cov-config config-file import-mode',
    ),
  },
  python: { short: 'cmiWX', long: ['check-hash-based-pycs'] },
  python3: { short: 'cmiWX', long: ['check-hash-based-pycs'] },
  read: naming,
  readonly: naming,
  rg: { long: split('pre hostname-bin search-zip'), short: 'z' },
  rsync: {
    short: 'eMT',
    long: split(
      `rsh rsync-path temp-dir write-batch only-write-batch read-batch remote-option backup-dir partial-dir daemon config`,
    ),
  },
  ruby: { short: 'eIrnpiCSx' },
  scp: { short: 'SoF', beginnings: ['-J'] },
  sed: {
    short: 'if',
    long: ['in-place', 'file'],
    harmlessScript: printingSed,
    words: ['-e', '--expression'],
  },
  sort: { short: 'oT', long: split('output compress-program temporary-directory files0-from') },
  ssh: { short: 'oFSJEIiLRDWw' },
  tar: {
    short: 'CFIOPg',
    bundled: 'CFIOPg',
    long: split(
      `to-command use-compress-program checkpoint-action info-script new-volume-script rsh-command rmt-command
       absolute-names directory one-top-level transform xform listed-incremental index-file volno-file`,
    ),
    // An archive of another machine is fetched with a shell.
    inside: /^[^/=-][^/=]*:/,
    beginnings: ['--checkpoint'],
  },
  tcpdump: { short: 'zwF' },
  tee: {},
  terraform: {
    beginnings: split('-chdir -out -state -backup -plugin-dir --chdir --out --state --backup --plugin-dir'),
  },
  test: { words: ['-v', '-R'] },
  tsc: pluggable,
  typeset: naming,
  unset: naming,
  uv: { subcommands: ['tool', 'run', 'pip'] },
  vite: pluggable,
  vitest: pluggable,
  vim: { short: 'cSsuUwW', words: ['--cmd'], beginnings: ['+'] },
  wget: {
    short: 'OoaePi',
    long: split(
      'output-document output-file append-output execute directory-prefix input-file use-askpass post-file config save-cookies warc-file hsts-file rejected-log',
    ),
  },
  yarn: { long: split('script-shell cwd use-yarnrc'), subcommands: split('config exec dlx node plugin create') },
  wait: naming,
  webpack: pluggable,
  zip: {
    short: 'TOb',
    long: split('unzip-command test output-file out logfile-path temp-path'),
    words: ['-TT', '-lf', '-la'],
  },
};

/** Programs that change the files that they name. */
export const writers: ReadonlySet<string> = new Set(
  'chgrp chmod chown cp dd install ln mkdir mkfifo mknod mv patch rm rmdir rsync sed shred sponge tee touch truncate unlink'.split(
    ' ',
  ),
);
