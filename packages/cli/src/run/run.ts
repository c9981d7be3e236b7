/** `pawl run`: a prompt, or what is owed, until its turn has ended; shown as it happens. */
import type { SessionSummary, Storage } from '@pawl/engine';
import { createHost } from '@pawl/engine';
import { visible } from '@pawl/engine/readers/visible';
import type { RuleSet } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { builtinTools } from '@pawl/tools';
import type { Config } from '../config/config.ts';
import { readConfig } from '../config/config.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { databasePath } from '../home.ts';
import { rememberPick } from '../models/picks.ts';
import { chooseModel, openModels } from '../models.ts';
import { usageError } from '../usage-error.ts';
import type { Attached } from './attach.ts';
import { goOn, resumptionOf, sendPrompt } from './begin.ts';
import { drive } from './drive.ts';
import type { RunFlags, RunOptions } from './flags.ts';
import { readFlags } from './flags.ts';
import { readPrompt } from './prompt.ts';
import { changesFor, createSession, findWanted } from './session.ts';
import { openTools } from './tools.ts';

/** @throws `usage`, `no_model`, `no_session`, `session_locked`, and what models and storage throw. */
export async function run(words: readonly string[], flags: RunFlags): Promise<ExitCode> {
  const asked = readFlags(flags);
  const names = builtinTools().map(({ name }) => name);
  const config = await readConfig({ folder: asked.cwd, tools: names });
  const options = withConfig(asked, config);
  const prompt = await readPrompt(words, flags.prompt);
  if (prompt === null && options.session.kind === 'new') {
    throw usageError('There is no prompt. Give one: pawl run "what to do", or pipe it in.');
  }
  const attached = await readAttached(options.attach, prompt);
  const log = sqliteLog({ path: databasePath() });
  try {
    const found = await findWanted(log, options);
    // A session that was named may be of another project.
    const isElsewhere = found !== null && found.cwd !== asked.cwd;
    const settings = isElsewhere ? await readConfig({ folder: found.cwd, tools: names }) : config;
    for (const warning of settings.warnings) say(`pawl: ${warning}`);
    return await runOn({ log, options, prompt, attached, config: settings, found });
  } finally {
    await log.close();
  }
}

type Run = {
  log: Storage;
  options: RunOptions;
  prompt: string | null;
  attached: readonly Attached[];
  config: Config;
  found: SessionSummary | null;
};

async function runOn({ log, options, prompt, attached, config, found }: Run): Promise<ExitCode> {
  const models = openModels({ settings: config.models, record: options.record, wire: options.wire, notice: say });
  const folder = found?.cwd ?? options.cwd;
  const choices = { flag: options.model, session: found?.model ?? null, config: config.model, folder };
  const { name, from } = chooseModel(choices);
  const model = await models.find(name);
  if (from === 'last') say(`Model ${name}, as picked last in this project; -m picks another.`);
  // A recording's id has its whole path, so that the session can be gone on with from anywhere.
  const picked = { ...options, model: options.model === null ? null : model.id };
  const own = (rules: RuleSet) => ({ ...rules, allow: [...rules.allow] });
  const layers = { user: own(config.rules), project: own(config.projectRules) };
  const rules = Object.entries(layers).map(([name, each]) => ({ name, rules: each }));
  const { tools, redactor } = openTools({
    config,
    sandbox: options.sandbox,
    notice: (line) => say(`pawl: ${line}`),
  });
  const host = createHost({
    log,
    model,
    models: models.find,
    tools,
    redactor,
    rules,
    ...(config.approvers !== null && { approvers: config.approvers }),
  });
  // Somebody is there to be asked if they can see the question and type the answer.
  const isAttended = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const onFirstAnswer = () => {
    // A name that nobody answered to would be the next run's mistake as well.
    if (from === 'flag') rememberPick(folder, name);
  };
  // The host looks at the layers anew for every call.
  const onRuleKept = (layer: keyof typeof layers, rule: string) => layers[layer].allow.push(rule);
  const shown = { onFirstAnswer, onRuleKept, format: options.outputFormat, isAttended, identity: host.identity };
  try {
    const files =
      attached.length === 0 ? [] : await (await import('./attach.ts')).attachAll(host, attached, model, say);
    if (found === null) {
      const session = await createSession(host, options, isAttended);
      return await drive({ session, fromSeq: 0, begin: sendPrompt(prompt ?? '', files, null), ...shown });
    }
    const before = await host.view(found.session);
    const resumption = resumptionOf(before);
    if (prompt === null && resumption.kind === 'nothing') return nothingIsOwed(resumption.hasTurns);
    const begin =
      prompt === null && resumption.kind !== 'nothing'
        ? goOn(resumption.kind)
        : sendPrompt(prompt ?? '', files, before);
    const session = await host.open(found.session, changesFor(before, picked, isAttended));
    for (const { reason } of log.damage())
      process.stderr.write(`Part of the log is damaged and was set aside: ${reason}.\n`);
    return await drive({ session, fromSeq: before.seq, begin, ...shown });
  } finally {
    await host.close();
    await models.close();
  }
}

/** @throws `usage`. */
async function readAttached(paths: readonly string[], prompt: string | null): Promise<Attached[]> {
  if (paths.length === 0) return [];
  if (prompt === null) throw usageError('-a/--attach goes with a prompt: say what to do with the file.');
  const { readAttachments } = await import('./attach.ts');
  return readAttachments(paths);
}

function say(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
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
