/** The host of a run: the model, tools, rules and stores that its session works with. */
import type { Agent, Memory, Model, SessionSummary, Storage } from '@pawl/engine';
import { createHost, type Host } from '@pawl/engine';
import type { RuleSet } from '@pawl/protocol';
import { memoryTools } from '@pawl/tools/memory';
import { openAgents } from '../agents/find.ts';
import type { Config } from '../config/config.ts';
import { rememberPick } from '../models/picks.ts';
import { chooseModel, isRecording, openModels } from '../models.ts';
import { printNotice, printWarning } from '../output/notice.ts';
import { usageError } from '../usage-error.ts';
import type { RunOptions } from './flags.ts';
import { openSurroundings } from './surroundings.ts';
import { openTools } from './tools.ts';

export type RunHost = {
  host: Host;
  model: Model;
  /** The options, with the model by the name that the session keeps. */
  options: RunOptions;
  /** Remembers the model for the next run, if a flag named it: a name that nobody answered to would be its mistake too. */
  onFirstAnswer(): void;
  /** Lets a rule that was written into the settings hold in this run as well. */
  onRuleKept(layer: 'user' | 'project', rule: string): void;
  /** Keeps what was learnt of providers and keys for the next process. */
  closeModels(): Promise<void>;
};

export type RunHostOptions = {
  log: Storage;
  memory: Memory;
  options: RunOptions;
  config: Config;
  /** The session to go on with; null for a new one. */
  found: SessionSummary | null;
  /** The agent that is named, or that a new session has; null where the session keeps its own. */
  agent: Agent | null;
};

/** A command that would answer or steer a session is asked about in every mode: an agent does not speak for a person. */
const ownRules: RuleSet = {
  deny: [],
  ask: ['approve', 'deny', 'answer', 'send', 'resume'].flatMap((name) => [
    `bash(pawl ${name} *)`,
    `bash(npx pawl ${name} *)`,
  ]),
  allow: [],
};

/** @throws `usage`, `no_model`, and what models throw. */
export async function openRunHost({ log, memory, options, config, found, agent }: RunHostOptions): Promise<RunHost> {
  const folder = found?.cwd ?? options.cwd;
  const choice = chooseModel({
    flag: options.model,
    session: found?.model ?? null,
    agent: agent?.model ?? null,
    config: config.model,
    folder,
  });
  const { name, from } = choice;
  refuseTraffic(options.traffic, name);
  const models = openModels({ settings: config.models, ...options.traffic, name, folder, notice: printNotice });
  const model = await models.find(name);
  if (choice.from === 'key') printNotice(`Model ${name}, because ${choice.variable} is set; -m picks another.`);
  if (from === 'last') printNotice(`Model ${name}, as picked last in this project; -m picks another.`);
  const { tools, redactor } = openTools({ config, sandbox: options.sandbox, notice: printWarning });
  // The host reads the layers again for every call, so a rule that is added to them holds at once.
  const layers = { user: growing(config.rules), project: growing(config.projectRules) };
  const host = createHost({
    log,
    model,
    models: models.find,
    tools: [...tools, ...memoryTools(memory, redactor)],
    agents: openAgents(),
    surroundings: openSurroundings(memory),
    memory,
    redactor,
    rules: [
      { name: 'pawl', rules: ownRules },
      { name: 'user', rules: layers.user },
      { name: 'project', rules: layers.project },
    ],
    tasks: config.tasks,
    flows: config.flows,
    ...(config.approvers !== null && { approvers: config.approvers }),
  });
  return {
    host,
    model,
    // A recording's id has its whole path, so that the session can be gone on with from anywhere.
    options: { ...options, model: options.model === null ? null : model.id },
    onFirstAnswer() {
      if (from === 'flag') rememberPick(folder, name);
    },
    onRuleKept: (layer, rule) => layers[layer].allow.push(rule),
    closeModels: models.close,
  };
}

const growing = (rules: RuleSet) => ({ ...rules, allow: [...rules.allow] });

/** @throws `usage`. */
function refuseTraffic({ record, playsAny }: RunOptions['traffic'], name: string): void {
  if (record !== null && isRecording(name)) throw usageError(`--record: ${name} is a recording already.`);
  if (playsAny && !isRecording(name)) throw usageError('--replay-any goes with --model replay:<file>.');
}
