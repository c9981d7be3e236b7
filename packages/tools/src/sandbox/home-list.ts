/**
 * What contained commands see of the home. The home itself is not there: what is not on this list is not seen, so that
 * keys of programs that nobody here has heard of are as far away as those of programs that everybody knows.
 */

/** When the list was last gone through. */
export const homeListDate = '2026-11-22';

/** Programs, and what they load: no program keeps its keys in these. Relative to the home. */
export const toolchains = [
  '.asdf',
  '.bun/bin',
  '.cargo/bin',
  '.cargo/git',
  '.cargo/registry',
  '.deno/bin',
  '.dotnet/host',
  '.dotnet/sdk',
  '.dotnet/shared',
  '.elan/bin',
  '.elan/toolchains',
  '.fnm',
  '.gem/ruby',
  '.ghcup/bin',
  '.ghcup/ghc',
  '.goenv',
  '.jenv',
  '.juliaup',
  '.local/bin',
  '.local/lib',
  '.local/pipx',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/pipx',
  '.local/share/pnpm',
  '.local/share/uv',
  '.npm-global',
  '.nvm',
  '.opam',
  '.phpenv',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.rvm',
  '.sdkman/candidates',
  '.stack/programs',
  '.volta/bin',
  '.volta/tools',
  'bin',
  'go/bin',
  'go/pkg',
  'mambaforge',
  'miniconda3',
  'miniforge3',
  'sdk',
  'Library/pnpm',
] as const;

/** What was downloaded before, by programs that do not look in `XDG_CACHE_HOME`: that is another folder inside. */
export const caches = [
  '.cache/puppeteer',
  '.gradle/caches',
  '.gradle/wrapper',
  '.ivy2/cache',
  '.m2/repository',
  '.m2/wrapper',
  '.nuget/packages',
  '.yarn/berry',
  'Library/Caches/go-build',
  'Library/Caches/pip',
] as const;

/** Settings that some people also keep keys in: they are seen only as long as nothing in them looks like one. */
export const settingsFiles = [
  '.cargo/config.toml',
  '.config/git/attributes',
  '.config/git/config',
  '.config/git/ignore',
  '.config/go/env',
  '.config/pip/pip.conf',
  '.gitconfig',
  '.gitignore',
  '.gitignore_global',
  '.tool-versions',
  'Library/Application Support/go/env',
] as const;

/** Variables that say where a toolchain lies, and what of it is seen. */
export const toolchainVariables: Readonly<Record<string, readonly string[]>> = {
  ASDF_DATA_DIR: [''],
  BUN_INSTALL: ['bin'],
  CARGO_HOME: ['bin', 'git', 'registry'],
  DENO_INSTALL: ['bin'],
  DOTNET_ROOT: ['host', 'sdk', 'shared'],
  GOPATH: ['bin', 'pkg'],
  GOROOT: [''],
  JAVA_HOME: [''],
  NVM_DIR: [''],
  PNPM_HOME: [''],
  PYENV_ROOT: [''],
  RBENV_ROOT: [''],
  RUSTUP_HOME: [''],
  VIRTUAL_ENV: [''],
  VOLTA_HOME: ['bin', 'tools'],
};
