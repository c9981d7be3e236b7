/** `pawl run`: a prompt, or what is owed, until its turn has ended; shown as it happens. */
import type { Model, Storage } from '@pawl/engine';
import { createHost } from '@pawl/engine';
import { sqliteLog } from '@pawl/storage';
import { builtinTools } from '@pawl/tools';
import type { Config } from '../config/config.ts';
import { readConfig } from '../config/config.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { databasePath } from '../home.ts';
import { chooseModel, openModels } from '../models.ts';
import { usageError } from '../usage-error.ts';
import { goOn, resumptionOf, sendPrompt } from './begin.ts';
import { drive } from './drive.ts';
import type { RunFlags, RunOptions } from './flags.ts';
import { readFlags } from './flags.ts';
import { readPrompt } from './prompt.ts';
import { changesFor, createSession, findWanted } from './session.ts';

/** @throws `usage`, `no_model`, `no_session`, `session_locked`, and what models and storage throw. */
export async function run(words: readonly string[], flags: RunFlags): Promise<ExitCode> {
  const config = await readConfig();
  const options = withConfig(readFlags(flags), config);
  const prompt = await readPrompt(words, flags.prompt);
  if (prompt === null && options.session.kind === 'new') {
    throw usageError('There is no prompt. Give one: pawl run "what to do", or pipe it in.');
  }
  const log = sqliteLog({ path: databasePath() });
  try {
    return await runOn(log, options, prompt, config);
  } finally {
    await log.close();
  }
}

async function runOn(log: Storage, options: RunOptions, prompt: string | null, config: Config): Promise<ExitCode> {
  const found = await findWanted(log, options);
  const models = openModels(options.record);
  const model: Model = await models(chooseModel(options.model, found?.model ?? null, config.model));
  const rules = [{ name: 'user', rules: config.rules }];
  const host = createHost({ log, model, models, tools: builtinTools(), rules });
  // Somebody is there to be asked if they can see the question and type the answer.
  const isAttended = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const shown = { format: options.outputFormat, isAttended };
  try {
    if (found === null) {
      const session = await createSession(host, options, isAttended);
      return await drive({ session, fromSeq: 0, begin: sendPrompt(prompt ?? '', null), ...shown });
    }
    const before = await host.view(found.session);
    const resumption = resumptionOf(before);
    if (prompt === null && resumption.kind === 'nothing') return nothingIsOwed(resumption.hasTurns);
    const begin =
      prompt === null && resumption.kind !== 'nothing' ? goOn(resumption.kind) : sendPrompt(prompt ?? '', before);
    const session = await host.open(found.session, changesFor(before, options, isAttended));
    for (const { reason } of log.damage())
      process.stderr.write(`Part of the log is damaged and was set aside: ${reason}.\n`);
    return await drive({ session, fromSeq: before.seq, begin, ...shown });
  } finally {
    await host.close();
  }
}

/** A new session begins with the user's settings where no flag says otherwise; one that exists keeps its own. */
function withConfig(options: RunOptions, { mode, limits }: Config): RunOptions {
  if (options.session.kind !== 'new') return options;
  return { ...options, mode: options.mode ?? mode, limits: { ...limits, ...options.limits } };
}

/** @throws `usage` if the session has not even begun. */
function nothingIsOwed(hasTurns: boolean): ExitCode {
  if (!hasTurns) throw usageError('This session has no input yet. Give it a prompt.');
  process.stderr.write('Nothing is owed: the last turn completed. Give a prompt to go on.\n');
  return exitCodes.completed;
}
