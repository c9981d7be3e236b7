/** How far a command may be widened to a rule that is offered, as data: `npm run test a` to `npm run test *`. */

const split = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Words after which the next one says what is really run: `npm run test`, `docker compose up`, `git stash pop`. */
export const indirections = split(
  `buildx compose container dlx exec image mod network pip remote run run-script stash submodule tool volume workspace x`,
);

/** Programs of so many words before it is said what they do: `gh pr view`, `gcloud compute instances list`. */
export const depths: { readonly [name: string]: number } = { aws: 2, az: 2, gcloud: 3, gh: 2 };

/** Wrappers that run what a project has, or fetch it: `npx vitest run`. */
export const packageRunners = split('bunx npx');

/**
 * Programs that a rule with a star would open too far: their first argument is no subcommand, or a code, or each further
 * one is one more thing to do (`make test deploy`).
 */
export const neverWidened = split(
  `ansible ant bash chmod chown chronic cp cpio curl dash dd deno entr eval fish gradle gradlew install inv invoke just
   kill killall ksh ln ltrace lua make mkdir mv mvn mvnw nc ncat netcat ninja node perf perl php pkill powershell psql pwsh
   python python2 python3 R rake rm rmdir Rscript rsync ruby sbt scp screen sed sh socat ssh sqlite3 strace sudo tar task
   tee telnet tmux touch ts-node tsx unzip valgrind watchexec wget zip zsh`,
);

/** What destroys, fetches something to run, reaches others, or changes how all else behaves: allowed one by one. */
export const neverWidenedVerbs = split(
  `api apply clean config configure delete destroy drop foreach i install kill prune publish purge push remove reset rm rmi set
   uninstall update upgrade worktree`,
);

/** The same where the word means something harmless for others. */
export const neverWidenedPairs = split(
  `adb-shell bun-add bun-create cargo-add docker-run go-get kubectl-run nix-develop nix-shell npm-create pnpm-add
   pnpm-create podman-run poetry-add rails-runner uv-add yarn-add yarn-create`,
);

/** Programs that are given files to look at, and of which a table says what their options may do: `pytest tests/* *`. */
export const checkers = split('eslint jest mocha prettier pytest vitest');

/** The same as modules of Python. */
export const checkingModules = split('mypy pytest unittest');
