/** Files that other programs obey: to change one is more than to change a file. */
import { foldName, isInside, type PathBase, segmentsOf } from './paths.ts';

/**
 * Names of files and folders of a project that other programs obey as soon as they are there, besides git's own and
 * Pawl's: they run what these say, or give rights by them. As of November 2026; whoever finds another adds it here.
 */
export const obeyedNames = [
  // Agents.
  '.aider.conf.yml',
  '.amazonq',
  '.amp',
  '.augment',
  '.claude',
  '.claude.json',
  '.cline',
  '.clinerules',
  '.codeium',
  '.codex',
  '.continue',
  '.cursor',
  '.cursorrules',
  '.factory',
  '.gemini',
  '.goose',
  '.goosehints',
  '.junie',
  '.kilocode',
  '.kiro',
  '.mcp.json',
  '.opencode',
  '.qwen',
  '.roo',
  '.roomodes',
  '.trae',
  '.windsurf',
  '.windsurfrules',
  'mcp.json',
  'opencode.json',
  'opencode.jsonc',
  // Editors, and what they start.
  '.devcontainer',
  '.devcontainer.json',
  '.dir-locals.el',
  '.exrc',
  '.fleet',
  '.gitpod.yml',
  '.idea',
  '.lvimrc',
  '.nvim.lua',
  '.nvimrc',
  '.vimrc',
  '.vs',
  '.vscode',
  '.zed',
  // Hooks of version control, and what is run before and behind a commit.
  '.githooks',
  '.gitmodules',
  '.husky',
  '.lefthook.yaml',
  '.lefthook.yml',
  '.lintstagedrc',
  '.lintstagedrc.json',
  '.overcommit.yml',
  '.pre-commit-config.yaml',
  '.pre-commit-config.yml',
  '.simple-git-hooks.json',
  'lefthook.yaml',
  'lefthook.yml',
  // Shells and tool managers that act on entering a folder.
  '.autoenv',
  '.envrc',
  '.mise.local.toml',
  '.mise.toml',
  '.tool-versions',
  'mise.local.toml',
  'mise.toml',
  // Package managers: which registry, which program, which scripts.
  '.bazelrc',
  '.cargo',
  '.npmrc',
  '.pnp.cjs',
  '.pnpmfile.cjs',
  '.yarnrc',
  '.yarnrc.yml',
  'bunfig.toml',
  'pip.conf',
  // Continuous integration.
  '.buildkite',
  '.circleci',
  '.drone.yml',
  '.forgejo',
  '.gitea',
  '.github',
  '.gitlab',
  '.gitlab-ci.yml',
  '.travis.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'Jenkinsfile',
] as const;

/** The same, where their own programs write too while they work. */
const keptByPrograms = ['.hg', '.svn', '.yarn'];

/**
 * A folder with a file of this name may be a repository, whose settings git obeys when it is called there: no other name
 * has to be in one.
 */
const headOfRepository = 'head';

const obeyed: ReadonlySet<string> = new Set(
  [...obeyedNames, ...keptByPrograms, '.git', '.pawl', headOfRepository].map(foldName),
);

/** What programs of the user start or read without being told, besides all whose name begins with a dot. */
const obeyedOfHome: ReadonlySet<string> = new Set(['bin', 'library']);

/** Whether other programs obey what is at a canonical path in the session's folder, at any depth. */
export function isObeyed(path: string, { cwd, home }: PathBase): boolean {
  const names = segmentsOf(path).slice(segmentsOf(cwd).length).map(foldName);
  if (names.some((name) => obeyed.has(name))) return true;
  // In a session whose folder holds the whole home.
  if (!isInside(cwd, home) || !isInside(home, path)) return false;
  const [first = ''] = segmentsOf(path).slice(segmentsOf(home).length).map(foldName);
  return first.startsWith('.') || obeyedOfHome.has(first);
}
