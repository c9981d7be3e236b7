/** `pawl run`: a prompt, or what is owed, until its turn has ended; shown as it happens. */
import type { Agent, Memory, SessionSummary, Storage, Surroundings } from '@pawl/engine';
import { createHost, type Host } from '@pawl/engine';
import { visible } from '@pawl/engine/readers/visible';
import { suggestion } from '@pawl/models/near';
import type { OpenOptions, PermissionMode, RuleSet, SessionClient } from '@pawl/protocol';
import { isWiderMode, messageOf } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { memoryTools } from '@pawl/tools/memory';
import { agentFor, defaultAgent } from '../agents/check.ts';
import { openAgents, readAgents } from '../agents/find.ts';
import { isPersonThere } from '../approvals/person.ts';
import type { Config } from '../config/config.ts';
import { readConfig } from '../config/config.ts';
import { strayRules } from '../config/meaning.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { databasePath } from '../home.ts';
import { openMemory } from '../memory/open.ts';
import { rememberPick } from '../models/picks.ts';
import { chooseModel, isRecording, openModels } from '../models.ts';
import type { Shared } from '../reach/share.ts';
import type { Seat } from '../terminal/seat.ts';
import { usageError } from '../usage-error.ts';
import type { Attached } from './attach.ts';
import { type Begin, goOn, resumptionOf, sendPrompt } from './begin.ts';
import { type Drive, drive } from './drive.ts';
import type { RunFlags, RunOptions } from './flags.ts';
import { readFlags } from './flags.ts';
import { readPrompt, wordsOnly } from './prompt.ts';
import { changesFor, createSession, findWanted } from './session.ts';
import { openSurroundings } from './surroundings.ts';
import { openTools, toolNames } from './tools.ts';

/** @throws `usage`, `no_model`, `no_session`, `session_locked`, and what models and storage throw. */
export async function run(words: readonly string[], flags: RunFlags): Promise<ExitCode> {
  // A mistake in the flags is told before anything is waited for.
  const isProgram = readFlags(flags).inputFormat === 'stream-json';
  const prompt = isProgram ? wordsOnly(words, flags.prompt) : await readPrompt(words, flags.prompt);
  return runPrompt(prompt, flags);
}

/** As `run`, with all of the prompt in hand; null goes on with what is owed. In a seat, until the person leaves it. */
export async function runPrompt(prompt: string | null, flags: RunFlags, seat: Seat | null = null): Promise<ExitCode> {
  const asked = readFlags(flags);
  const say = seat?.notice ?? toStandardError;
  const memory = openMemory();
  const surroundings = openSurroundings(memory);
  const names = toolNames();
  const config = await readConfig({ folder: asked.cwd, tools: names });
  const isProgram = asked.inputFormat === 'stream-json';
  if (prompt !== null && asked.executesAs !== null) throw usageError('--execute-plan takes no prompt: the plan is it.');
  if (prompt === null && asked.session.kind === 'new' && !isProgram && seat === null) {
    throw usageError('There is no prompt. Give one: pawl run "what to do", or pipe it in.');
  }
  const options = asked;
  if (prompt === null && Object.keys(options.turn).length > 0) {
    throw usageError('What is asked of a turn goes with a prompt; a turn that is gone on with keeps its own.');
  }
  refuseUnknownTool(options.turn, names);
  const attached = await readAttached(options.attach, prompt);
  const log = sqliteLog({ path: databasePath() });
  try {
    const found = await findWanted(log, options);
    // A session that was named may be of another project.
    const isElsewhere = found !== null && found.cwd !== asked.cwd;
    const settings = isElsewhere ? await readConfig({ folder: found.cwd, tools: names }) : config;
    for (const warning of settings.warnings) say(`pawl: ${warning}`);
    for (const stray of strayRules({ rules: options.rules }, names)) say(`pawl: ${stray.replace(ruleOfFlag, '--$1')}`);
    const agent = await agentOf(options, found, say);
    // Found out here and not by the model that wants to delegate to one of them.
    for (const problem of (await readAgents(found?.cwd ?? options.cwd)).problems) say(`pawl: ${problem}`);
    return await runOn({
      log,
      memory,
      surroundings,
      options: withConfig(options, settings, agent),
      prompt,
      attached,
      config: settings,
      found,
      agent,
      seat,
      say,
    });
  } finally {
    await memory.close();
    await log.close();
  }
}

/** A command that would answer or steer a session is asked about in every mode: an agent does not speak for a person. */
const ownRules: RuleSet = {
  deny: [],
  ask: ['approve', 'deny', 'answer', 'send', 'resume'].flatMap((name) => [
    `bash(pawl ${name} *)`,
    `bash(npx pawl ${name} *)`,
  ]),
  allow: [],
};

type Run = {
  log: Storage;
  memory: Memory;
  surroundings: Surroundings;
  options: RunOptions;
  prompt: string | null;
  attached: readonly Attached[];
  config: Config;
  found: SessionSummary | null;
  /** The agent that is named, or that a new session is of; null where the session keeps its own. */
  agent: Agent | null;
  seat: Seat | null;
  say: Say;
};

type Say = (line: string) => void;

async function runOn({
  log,
  memory,
  surroundings,
  options,
  prompt,
  attached,
  config,
  found,
  agent,
  seat,
  say,
}: Run): Promise<ExitCode> {
  const folder = found?.cwd ?? options.cwd;
  const choices = {
    flag: options.model,
    session: found?.model ?? null,
    agent: agent?.model ?? null,
    config: config.model,
    folder,
  };
  const choice = chooseModel(choices);
  const { name, from } = choice;
  refuseTraffic(options.traffic, name);
  const models = openModels({ settings: config.models, ...options.traffic, name, folder, notice: say });
  const model = await models.find(name);
  if (choice.from === 'key') say(`Model ${name}, because ${choice.variable} is set; -m picks another.`);
  if (from === 'last') say(`Model ${name}, as picked last in this project; -m picks another.`);
  // A recording's id has its whole path, so that the session can be gone on with from anywhere.
  const picked = { ...options, model: options.model === null ? null : model.id };
  const own = (rules: RuleSet) => ({ ...rules, allow: [...rules.allow] });
  const layers = { user: own(config.rules), project: own(config.projectRules) };
  const rules = [
    { name: 'pawl', rules: ownRules },
    ...Object.entries(layers).map(([name, each]) => ({ name, rules: each })),
  ];
  const { tools, redactor } = openTools({
    config,
    sandbox: options.sandbox,
    notice: (line) => say(`pawl: ${line}`),
  });
  const host = createHost({
    log,
    model,
    models: models.find,
    tools: [...tools, ...memoryTools(memory, redactor)],
    agents: openAgents(),
    surroundings,
    memory,
    redactor,
    rules,
    tasks: config.tasks,
    flows: config.flows,
    ...(config.approvers !== null && { approvers: config.approvers }),
  });
  const hasPerson = isPersonThere();
  const isProgram = options.inputFormat === 'stream-json';
  // A program answers by commands, and other terminals reach the session by its socket.
  const isAttended = hasPerson || isProgram || options.isAwaited;
  const onFirstAnswer = () => {
    // A name that nobody answered to would be the next run's mistake as well.
    if (from === 'flag') rememberPick(folder, name);
  };
  // The host looks at the layers anew for every call.
  const onRuleKept = (layer: keyof typeof layers, rule: string) => layers[layer].allow.push(rule);
  const shown = {
    host,
    onFirstAnswer,
    onRuleKept,
    format: options.outputFormat,
    detail: options.detail,
    isAttended: hasPerson && !isProgram,
    identity: host.identity,
  };
  const shared: Promise<Shared>[] = [];
  /** Others may reach the session from now on. */
  const open = (session: string) => {
    const sharing = import('../reach/share.ts').then(({ share }) => share(host, log, session));
    shared.push(sharing);
    sharing.catch((error: unknown) => say(`pawl: other terminals cannot reach this session: ${messageOf(error)}`));
  };
  const driveAsProgram = async (session: SessionClient, fromSeq: number, begin: Begin | null) => {
    const { converse } = await import('./converse.ts');
    return converse({ host, session, fromSeq, begin, isAwaited: options.isAwaited, onFirstAnswer });
  };
  /** What the flags say is for the session that they name. */
  const changesOf = async (session: string): Promise<OpenOptions> =>
    session === found?.session
      ? changesFor(await host.view(session), picked, true)
      : { configure: { isAttended: true } };
  try {
    const files =
      attached.length === 0 ? [] : await (await import('./attach.ts')).attachAll(host, attached, model, say);
    const asked = { files, turn: options.turn };
    if (seat !== null) {
      const openShared = async (session: string, changes: OpenOptions) => {
        const opened = await host.open(session, changes);
        open(session);
        return opened;
      };
      const { homeOf } = await import('../terminal/home.ts');
      await seat.sit(
        homeOf({
          host,
          log,
          config,
          cwd: folder,
          settings: { agent: agent?.name ?? defaultAgent, model: model.id, mode: options.mode ?? 'manual' },
          session: found?.session ?? null,
          prompt: prompt === null ? null : [...files, { type: 'text', text: prompt }],
          async create() {
            const session = await createSession(host, picked, true);
            open(session.id);
            return session;
          },
          open: async (session) => openShared(session, await changesOf(session)),
          onFirstAnswer,
          onRuleKept,
        }),
      );
      return exitCodes.completed;
    }
    if (found === null) {
      const session = await createSession(host, picked, isAttended);
      open(session.id);
      if (isProgram) return await driveAsProgram(session, 0, prompt === null ? null : sendPrompt(prompt, asked, null));
      const code = await drive({ session, fromSeq: 0, begin: sendPrompt(prompt ?? '', asked, null), ...shown });
      return await handOver({ ...shown, session, host, code });
    }
    const before = await host.view(found.session);
    const resumption = resumptionOf(before);
    const { executesAs } = options;
    if (executesAs === null && prompt === null && resumption.kind === 'nothing' && !isProgram) {
      return nothingIsOwed(resumption.hasTurns);
    }
    const begin =
      executesAs !== null
        ? (await import('./plan.ts')).carryOut(executesAs)
        : prompt !== null
          ? sendPrompt(prompt, asked, before)
          : resumption.kind === 'nothing'
            ? null
            : goOn(resumption.kind);
    const session = await host.open(found.session, changesFor(before, picked, isAttended));
    open(session.id);
    for (const { reason } of log.damage())
      process.stderr.write(`Part of the log is damaged and was set aside: ${reason}.\n`);
    // A program says by commands what is to be gone on with, but for what goes on by itself.
    if (isProgram)
      return await driveAsProgram(session, before.seq, prompt === null && executesAs === null ? null : begin);
    if (begin === null) return nothingIsOwed(true);
    const code = await drive({ session, fromSeq: before.seq, begin, ...shown });
    return await handOver({ ...shown, session, host, code });
  } finally {
    await host.close();
    // What could not be opened was told of.
    for (const sharing of shared) await sharing.then(({ close }) => close()).catch(() => undefined);
    await models.close();
  }
}

type HandOver = Omit<Drive, 'fromSeq' | 'begin'> & { host: Host; code: ExitCode };

/** Where somebody is there to choose, a plan that was just written is carried out in the same run. */
async function handOver({ host, code, ...shown }: HandOver): Promise<ExitCode> {
  const { session, isAttended, format } = shown;
  if (!isAttended || format !== 'text' || code !== exitCodes.completed) return code;
  const view = await host.view(session.id);
  if (view.plan === null || view.turn !== null) return code;
  const { carryOut, chooseAgent } = await import('./plan.ts');
  const agent = await chooseAgent(view.agent, view.cwd);
  if (agent === null) return code;
  return drive({ ...shown, host, fromSeq: view.seq, begin: carryOut(agent) });
}

/** @throws `usage` for an agent that there is not. */
async function agentOf(
  { agent, executesAs, cwd }: RunOptions,
  found: SessionSummary | null,
  say: Say,
): Promise<Agent | null> {
  const [flag, name] = executesAs === null ? ['--agent', agent] : ['--execute-plan', executesAs];
  if (name === null && found !== null) return null;
  const chosen = await agentFor(flag, name ?? defaultAgent, found?.cwd ?? cwd);
  for (const note of chosen.notes) say(`pawl: ${chosen.agent.source}: ${note}`);
  return chosen.agent;
}

/** `rules.allow.0` of what a flag says. */
const ruleOfFlag = /^rules\.(allow|ask|deny)\.\d+/;

/** @throws `usage` with the nearest name. */
function refuseUnknownTool({ toolChoice }: RunOptions['turn'], names: readonly string[]): void {
  if (typeof toolChoice !== 'object' || names.includes(toolChoice.tool)) return;
  const near = suggestion(toolChoice.tool, names);
  throw usageError(`--tool-choice: there is no tool "${toolChoice.tool}".${near} Or say auto, none or required.`);
}

/** @throws `usage`. */
function refuseTraffic({ record, playsAny }: RunOptions['traffic'], name: string): void {
  if (record !== null && isRecording(name)) throw usageError(`--record: ${name} is a recording already.`);
  if (playsAny && !isRecording(name)) throw usageError('--replay-any goes with --model replay:<file>.');
}

/** @throws `usage`. */
async function readAttached(paths: readonly string[], prompt: string | null): Promise<Attached[]> {
  if (paths.length === 0) return [];
  if (prompt === null) throw usageError('-a/--attach goes with a prompt: say what to do with the file.');
  const { readAttachments } = await import('./attach.ts');
  return readAttachments(paths);
}

function toStandardError(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}

/** A new session begins with the user's settings where no flag says otherwise; one that exists keeps its own. */
function withConfig(options: RunOptions, { mode, limits, compaction }: Config, agent: Agent | null): RunOptions {
  if (options.session.kind !== 'new') return options;
  const settled = Object.keys(compaction).length > 0 ? { compaction } : {};
  const steps = agent?.steps == null ? {} : { steps: agent.steps };
  return {
    ...options,
    mode: options.mode ?? modeFrom(mode, agent),
    limits: { ...limits, ...steps, ...options.limits },
    ...settled,
  };
}

/** An agent that works in a wider mode was given it by name, which says more than a setting for all. */
function modeFrom(mode: Config['mode'], agent: Agent | null): PermissionMode | null {
  const own = agent?.permissionMode ?? null;
  const isWide = isWiderMode(own);
  return isWide && mode !== 'plan' ? null : mode;
}

/** @throws `usage` if the session has not even begun. */
function nothingIsOwed(hasTurns: boolean): ExitCode {
  if (!hasTurns) throw usageError('This session has no input yet. Give it a prompt.');
  process.stderr.write('Nothing is owed: the last turn completed. Give a prompt to go on.\n');
  return exitCodes.completed;
}
