import { homedir } from 'node:os';
import type { Tool, ToolContext, ToolOutcome, ToolScope } from '@pawl/engine';
import {
  type Containment,
  prepareCommand,
  reachesOutside,
  readsOnly,
  readsWhereContained,
  scopeRoots,
} from '@pawl/policy';
import { PawlError } from '@pawl/protocol';
import { commandEnvironment } from '../environment.ts';
import { escapeInvisible } from '../escape.ts';
import type { ToolOptions } from '../options.ts';
import { readOnlyGitEnvironment } from '../repository/environment.ts';
import { type Launch, mostSetups, type NetworkAccess, reachesAnyHost, type Sandbox } from '../sandbox/index.ts';
import { defineTool } from '../tool.ts';
import type { Background, BackgroundProcess } from './background/index.ts';
import { type BashInput, bashInput, descriptionOf } from './bash-input.ts';
import { outcomeOf } from './bash-outcome.ts';
import { certainPaths, certainPlaces } from './certain-paths.ts';
import { detailsOf, stateOf } from './process.ts';
import { progressReporter } from './progress.ts';
import { runShell } from './shell.ts';
import { needsTerminal } from './terminal.ts';

export type Commands = { options: ToolOptions; sandbox: Sandbox; background: Background };

/**
 * Runs shell commands, in the sandbox if there is one. What only reads by the policy's table counts as reading, all
 * else as reaching anywhere: how far it really reaches, `containment` says.
 */
export function bashTool(commands: Commands): Tool {
  const { options, sandbox } = commands;
  return defineTool<BashInput>({
    name: 'bash',
    description: descriptionOf(options, sandbox),
    input: bashInput(options, sandbox),
    isOutside: true,
    effect: ({ command, background }) => {
      if (background === true) return 'external';
      if (readsOnly(command)) return 'read';
      if (readsWhereContained(command)) return 'idempotent';
      return certainPaths(command) === null ? 'external' : 'write';
    },
    paths: pathsOf,
    subjectKind: 'command',
    subject: ({ command }) => command,
    approval: async (input, scope) => {
      await prepareCommand(input.command);
      const isContained = await isReadingContained(input, scope, sandbox);
      if (!isContained && !readsOnly(input.command)) return true;
      return reachesOutside(input.command, scope.cwd, { isContained });
    },
    containment: async (input, scope) => (await holdOn(input, scope, sandbox)).containment,
    holdsScope: async ({ outside }, { cwd }) => outside !== true && (await sandbox.holdOf(cwd)).kind === 'whole',
    plan: async (input, scope) => {
      const held = await holdOn(input, scope, sandbox);
      return { preview: { kind: 'text', text: previewOf(input, held.containment) }, basis: basisOf(held) };
    },
    run: (input, context) => run(input, context, commands),
  });
}

/** By these, commands that surely touch different places run side by side. Others, and those of a task with limits, wait. */
const pathsOf = async ({ command, background }: BashInput, scope: ToolScope): Promise<string[]> =>
  background === true || isScoped(scope) || readsOnly(command) || readsWhereContained(command)
    ? []
    : certainPlaces(command, scope).catch(() => []);

/** In plan mode nothing is changed, nor by what only reads; that then sees the folder exactly as it is. */
const modeOf = ({ command, background }: BashInput, { mode }: ToolScope) =>
  mode === 'plan' || (readsWhereContained(command) && background !== true) ? ('read-only' as const) : undefined;

/** Some programs only read for certain where nothing else is possible. */
const isReadingContained = async (input: BashInput, scope: ToolScope, sandbox: Sandbox): Promise<boolean> =>
  readsWhereContained(input.command) &&
  input.background !== true &&
  (await holdOn(input, scope, sandbox)).containment === 'read-only';

const isScoped = ({ writeScopes = [] }: ToolScope) => writeScopes.length > 0;

/** What a task that may not change all may still change; undefined where there is no such limit. */
const rootsOf = (scope: ToolScope) =>
  isScoped(scope) ? scopeRoots(scope.writeScopes ?? [], { cwd: scope.cwd, home: homedir() }) : undefined;

type Held = { containment: Containment; network: NetworkAccess };

/**
 * How a command is contained, as far as rules and modes ask. One that reaches any host counts as not: what it reads it
 * could send anywhere. The hosts of a list were chosen by the user for just this.
 */
async function holdOn(input: BashInput, scope: ToolScope, sandbox: Sandbox): Promise<Held> {
  const hold = await sandbox.holdOf(scope.cwd, modeOf(input, scope));
  if (hold.kind === 'none') return { containment: 'none', network: 'on' };
  if (input.outside === true) return { containment: 'escape', network: 'on' };
  if (hold.kind === 'partial' || reachesAnyHost(hold.network)) return { containment: 'none', network: 'on' };
  // What reaches a host could be told to change something there, though it changes nothing here.
  const isIdle = !hold.isFolderWritable && hold.network === 'off';
  return { containment: isIdle ? 'read-only' : 'workspace', network: hold.network };
}

/** A command that was judged as contained does not run where it is not, or where it reaches other hosts. */
const basisOf = ({ containment, network }: Held) =>
  `containment ${containment}${typeof network === 'string' ? '' : `, network ${JSON.stringify(network)}`}`;

function previewOf({ command, background }: BashInput, containment: Containment): string {
  const text = escapeInvisible(command);
  const notes = [
    ...(containment === 'escape' ? ['Outside of the sandbox: it can change and reach all that you can.'] : []),
    ...(background === true ? ['In the background: it runs on until it ends or is stopped.'] : []),
  ];
  return [...notes, text].join('\n');
}

async function run(input: BashInput, context: ToolContext, commands: Commands): Promise<ToolOutcome> {
  const { sandbox } = commands;
  const held = await holdOn(input, context, sandbox);
  if (context.basis !== null && context.basis !== basisOf(held)) throw heldOtherwise();
  if (context.paths.length > 0 && (await pathsOf(input, context)).join('\0') !== context.paths.join('\0')) {
    throw new PawlError('outdated', 'What this command touches is elsewhere since it was judged. It was not run.');
  }
  context.signal.throwIfAborted();
  const impossible = await needsTerminal(input.command);
  if (impossible !== null) return { content: impossible, isError: true };
  const limits = { mode: modeOf(input, context), roots: rootsOf(context), denies: context.denies?.() };
  const launch =
    held.containment === 'escape' ? null : () => contain(held, sandbox.launch(context.session, context.cwd, limits));
  return input.background === true
    ? runBehind(input, context, commands, launch)
    : runAndWait(input, context, commands, launch);
}

const heldOtherwise = () =>
  new PawlError('outdated', 'This command is not contained as it was when it was judged. It was not run.');

/** What is judged as contained is so too as the folder is in the moment of acting. @throws `outdated`. */
async function contain({ containment }: Held, launching: Promise<Launch | null>): Promise<Launch | null> {
  const launch = await launching;
  if (containment === 'none' || launch?.isWhole === true) return launch;
  await launch?.release();
  throw heldOtherwise();
}

/**
 * What only reads was judged by what git does when nothing of the repository's settings is run. By the call a Pawl that
 * a command starts knows that no person started it: it answers no approvals.
 */
const environmentOf = (
  command: string,
  { session, call }: ToolContext,
  options: ToolOptions,
): Record<string, string> => ({
  ...commandEnvironment(options),
  ...(readsOnly(command) && readOnlyGitEnvironment),
  PAWL_CALL: `${session}/${call}`,
});

/** Contains a command anew each time; null leaves it free. */
type Launcher = (() => Promise<Launch | null>) | null;

async function runAndWait(
  { command, timeoutMs }: BashInput,
  context: ToolContext,
  { options }: Commands,
  launcher: Launcher,
): Promise<ToolOutcome> {
  const limitMs = Math.min(timeoutMs ?? options.commandTimeoutMs, options.maxCommandTimeoutMs);
  const progress = progressReporter(context.progress);
  for (let setup = 1; ; setup++) {
    const launch = (await launcher?.()) ?? null;
    const running = runShell({
      command,
      cwd: context.cwd,
      environment: environmentOf(command, context, options),
      launch,
      timeoutMs: limitMs,
      killGraceMs: options.killGraceMs,
      maxOutputBytes: options.maxCommandOutputBytes,
      signal: context.signal,
      onOutput: progress.add,
    });
    const hasBegun = await running.then(
      (end) => end.hasBegun || end.isCancelled,
      () => true,
    );
    if (hasBegun || setup === mostSetups) progress.stop();
    const setRight = (await launch?.release()) ?? null;
    // Something that was to be mounted has gone in the same moment; nothing was run yet.
    if (hasBegun || setup === mostSetups) return outcomeOf(await running, limitMs, launch, setRight);
  }
}

async function runBehind(
  { command, timeoutMs }: BashInput,
  context: ToolContext,
  { options, background }: Commands,
  launcher: Launcher,
): Promise<ToolOutcome> {
  const { session, cwd, notify } = context;
  const onEnd = (ended: BackgroundProcess) =>
    notify?.(`Background process ${ended.id} ${stateOf(ended)}. Its output: process, action output.`);
  const started = await background.start({
    session,
    command,
    cwd,
    environment: environmentOf(command, context, options),
    launcher,
    timeoutMs: timeoutMs ?? null,
    onEnd,
  });
  return {
    content: `Started in the background as ${started.id}. You are told when it ends; its output: process, action output.`,
    details: detailsOf(started),
  };
}
