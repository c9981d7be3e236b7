'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const atOnce = answerAtOnce(process.argv.slice(2));
if (atOnce === null) start();
else {
  // Whoever closed it does not want to read more.
  process.stdout.on('error', () => undefined);
  process.stdout.write(atOnce);
}

/** What needs no program to be loaded: the version, and the help that the build wrote down. Null for all else. */
function answerAtOnce(words) {
  if (words.length > 1 || (words.length === 0 && isAtTerminal())) return null;
  const [word = '--help'] = words;
  if (word === '--version' || word === '-V') return `${require('../package.json').version}\n`;
  // The help is written for 80 columns; a narrower terminal gets its own.
  if ((word !== '--help' && word !== '-h') || process.stdout.columns < 80) return null;
  try {
    return readFileSync(join(__dirname, '..', 'dist', 'help.txt'), 'utf8');
  } catch {
    return null;
  }
}

/** Then no words at all are a conversation; as in `src/terminal/is-at-terminal.ts`. */
function isAtTerminal() {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== 'dumb';
}

function start() {
  const { enableCompileCache } = require('node:module');
  const { homedir } = require('node:os');

  // Compiled code is kept in a folder of this user, never in one that others can write to.
  const { PAWL_HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE } = process.env;
  if (!NODE_COMPILE_CACHE && enableCompileCache !== undefined) {
    const caches = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : join(homedir(), '.cache');
    enableCompileCache(PAWL_HOME ? join(PAWL_HOME, 'cache') : join(caches, 'pawl'));
  }

  // Some releases of Node call two things that Pawl is built on experimental, each time it starts. Only these are silenced.
  const { emitWarning } = process;
  process.emitWarning = function filtered(warning, ...rest) {
    const type = typeof rest[0] === 'object' && rest[0] !== null ? rest[0].type : rest[0];
    const text = warning instanceof Error ? warning.message : String(warning);
    if (type === 'ExperimentalWarning' && /^(?:SQLite|Type Stripping) /.test(text)) return;
    emitWarning.call(process, warning, ...rest);
  };

  // The sources in the repository, the build of them where it was published.
  const source = join(__dirname, '..', 'src', 'main.ts');
  const main = existsSync(source) ? '../src/main.ts' : '../dist/main.js';
  import(main)
    .then(({ main }) => main(process.argv.slice(2)))
    .catch((error) => {
      process.stderr.write(`pawl could not be started: ${error.stack}\n`);
      process.exit(1);
    });
}
