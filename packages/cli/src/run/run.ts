/** `pawl run`: a prompt, or what is owed, until its turn has ended; shown as it happens. */
import { suggestion } from '@pawl/models/near';
import { sqliteLog } from '@pawl/storage';
import { readAgents } from '../agents/find.ts';
import { readConfig } from '../config/config.ts';
import { rulesOfUnknownTools } from '../config/meaning.ts';
import type { ExitCode } from '../exit-codes.ts';
import { databasePath } from '../home.ts';
import { openMemory } from '../memory/open.ts';
import { printWarning } from '../output/notice.ts';
import type { Seat } from '../terminal/seat.ts';
import { usageError } from '../usage-error.ts';
import type { Attached } from './attach.ts';
import { agentOf, withDefaults } from './defaults.ts';
import type { RunFlags, RunOptions } from './flags.ts';
import { readFlags } from './flags.ts';
import { readPrompt, wordsOnly } from './prompt.ts';
import { runSession } from './run-session.ts';
import { findWanted } from './session.ts';
import { toolNames } from './tools.ts';

/** @throws `usage`, `no_model`, `no_session`, `session_locked`, and what models and storage throw. */
export async function run(words: readonly string[], flags: RunFlags): Promise<ExitCode> {
  // A mistake in the flags is told before anything is waited for.
  const isProgram = readFlags(flags).inputFormat === 'stream-json';
  const prompt = isProgram ? wordsOnly(words, flags.prompt) : await readPrompt(words, flags.prompt);
  return runPrompt(prompt, flags);
}

/** As `run`, with all of the prompt in hand; null goes on with what is owed. In a seat, until the person leaves it. */
export async function runPrompt(prompt: string | null, flags: RunFlags, seat: Seat | null = null): Promise<ExitCode> {
  const options = readFlags(flags);
  const tools = toolNames();
  const config = await readConfig({ folder: options.cwd, tools });
  checkPrompt(prompt, options, tools, seat !== null);
  const attached = await readAttached(options.attach, prompt);
  const memory = openMemory();
  const log = sqliteLog({ path: databasePath() });
  try {
    const found = await findWanted(log, options);
    // A session that was named may be of another project.
    const isElsewhere = found !== null && found.cwd !== options.cwd;
    const settings = isElsewhere ? await readConfig({ folder: found.cwd, tools }) : config;
    for (const warning of settings.warnings) printWarning(warning);
    for (const stray of rulesOfUnknownTools({ rules: options.rules }, tools))
      printWarning(stray.replace(ruleOfFlag, '--$1'));
    const agent = await agentOf(options, found);
    // Said here, so that the model does not find it out when it delegates to one of them.
    for (const problem of (await readAgents(found?.cwd ?? options.cwd)).problems) printWarning(problem);
    const withSettings = withDefaults(options, settings, agent);
    const asked = { log, memory, options: withSettings, prompt, attached, config: settings, found, agent };
    return await runSession(asked, seat);
  } finally {
    await memory.close();
    await log.close();
  }
}

/** Whether the flags fit what there is of a prompt. @throws `usage`. */
function checkPrompt(
  prompt: string | null,
  { executesAs, session, inputFormat, turn }: RunOptions,
  tools: readonly string[],
  isConversation: boolean,
): void {
  if (prompt !== null && executesAs !== null) throw usageError('--execute-plan takes no prompt: the plan is it.');
  if (prompt === null && session.kind === 'new' && inputFormat !== 'stream-json' && !isConversation) {
    throw usageError('There is no prompt. Give one: pawl run "what to do", or pipe it in.');
  }
  if (prompt === null && Object.keys(turn).length > 0) {
    throw usageError('What is asked of a turn goes with a prompt; a turn that is gone on with keeps its own.');
  }
  const { toolChoice } = turn;
  if (typeof toolChoice !== 'object' || tools.includes(toolChoice.tool)) return;
  const near = suggestion(toolChoice.tool, tools);
  throw usageError(`--tool-choice: there is no tool "${toolChoice.tool}".${near} Or say auto, none or required.`);
}

/** `rules.allow.0` of what a flag says. */
const ruleOfFlag = /^rules\.(allow|ask|deny)\.\d+/;

/** @throws `usage`. */
async function readAttached(paths: readonly string[], prompt: string | null): Promise<Attached[]> {
  if (paths.length === 0) return [];
  if (prompt === null) throw usageError('-a/--attach goes with a prompt: say what to do with the file.');
  const { readAttachments } = await import('./attach.ts');
  return readAttachments(paths);
}
