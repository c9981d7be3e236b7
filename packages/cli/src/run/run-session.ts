/** One run of a session, new or taken up again, on an open host. */
import type { FilePart, SessionClient, SessionView } from '@pawl/protocol';
import { messageOf } from '@pawl/protocol';
import { defaultAgent } from '../agents/check.ts';
import { isPersonThere } from '../approvals/person.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { printNotice, printWarning } from '../output/notice.ts';
import type { Shared } from '../reach/share.ts';
import type { Seat } from '../terminal/seat.ts';
import { usageError } from '../usage-error.ts';
import type { Attached } from './attach.ts';
import { type Begin, goOn, type Resumption, resumptionOf, sendPrompt } from './begin.ts';
import { type Drive, drive } from './drive.ts';
import { openRunHost, type RunHost, type RunHostOptions } from './host.ts';
import { changesFor, createSession } from './session.ts';

export type SessionRun = RunHostOptions & {
  /** Null goes on with what is owed. */
  prompt: string | null;
  attached: readonly Attached[];
};

/** What the functions below need of a run. */
type OpenRun = SessionRun &
  RunHost & {
    hasPerson: boolean;
    /** The input comes as commands of a program on standard input. */
    isProgram: boolean;
    files: readonly FilePart[];
    /** The sockets by which other terminals reach the session. */
    shared: Promise<Shared>[];
  };

/** @throws `usage`, `no_model`, and what models and storage throw. */
export async function runSession(asked: SessionRun, seat: Seat | null = null): Promise<ExitCode> {
  const opened = await openRunHost(asked);
  const shared: Promise<Shared>[] = [];
  try {
    const files = await attach(opened, asked.attached);
    const isProgram = asked.options.inputFormat === 'stream-json';
    const run: OpenRun = { ...asked, ...opened, hasPerson: isPersonThere(), isProgram, files, shared };
    if (seat !== null) return await sit(run, seat);
    return await (asked.found === null ? runNew(run) : resume(run, asked.found.session));
  } finally {
    await opened.host.close();
    // Why one could not be opened has been said.
    for (const sharing of shared) await sharing.then(({ close }) => close()).catch(() => undefined);
    await opened.closeModels();
  }
}

async function attach({ host, model }: RunHost, attached: readonly Attached[]): Promise<readonly FilePart[]> {
  if (attached.length === 0) return [];
  const { attachAll } = await import('./attach.ts');
  return attachAll(host, attached, model, printNotice);
}

/** A program answers by commands, and other terminals reach the session by its socket. */
const isAttended = ({ hasPerson, isProgram, options }: OpenRun) => hasPerson || isProgram || options.isAwaited;

const promptOf = ({ prompt, files, options }: OpenRun, before: SessionView | null): Begin | null =>
  prompt === null ? null : sendPrompt(prompt, { files, turn: options.turn }, before);

/** The conversation at the terminal, until the person leaves. */
async function sit(run: OpenRun, seat: Seat): Promise<ExitCode> {
  const { host, log, config, options, model, agent, found, prompt, files, onFirstAnswer, onRuleKept } = run;
  const { homeOf } = await import('../terminal/home.ts');
  await seat.sit(
    homeOf({
      host,
      log,
      config,
      cwd: found?.cwd ?? options.cwd,
      settings: { agent: agent?.name ?? defaultAgent, model: model.id, mode: options.mode ?? 'manual' },
      session: found?.session ?? null,
      prompt: prompt === null ? null : [...files, { type: 'text', text: prompt }],
      async create() {
        const session = await createSession(host, options, true);
        share(run, session.id);
        return session;
      },
      async open(id) {
        const isNamed = id === found?.session;
        const changes = isNamed ? changesFor(await host.view(id), options, true) : { configure: { isAttended: true } };
        const session = await host.open(id, changes);
        share(run, id);
        return session;
      },
      onFirstAnswer,
      onRuleKept,
    }),
  );
  return exitCodes.completed;
}

async function runNew(run: OpenRun): Promise<ExitCode> {
  const session = await createSession(run.host, run.options, isAttended(run));
  share(run, session.id);
  const begin = promptOf(run, null);
  if (run.isProgram) return driveAsProgram(run, session, 0, begin);
  if (begin === null) return nothingIsOwed(false);
  return driveAndHandOver(run, { session, fromSeq: 0, begin });
}

async function resume(run: OpenRun, id: string): Promise<ExitCode> {
  const { host, log, isProgram, options } = run;
  const before = await host.view(id);
  const resumption = resumptionOf(before);
  const begin = await beginOf(run, before, resumption);
  if (begin === null && !isProgram) return nothingIsOwed(resumption.kind !== 'nothing' || resumption.hasTurns);
  const session = await host.open(id, changesFor(before, options, isAttended(run)));
  share(run, session.id);
  for (const { reason } of log.damage()) printNotice(`Part of the log is damaged and was set aside: ${reason}.`);
  const { secretMarksIn } = await import('@pawl/engine/readers');
  const marks = secretMarksIn(await log.read(session.id));
  if (marks.length > 0) printNotice(`The log keeps no secrets: the model sees only marks of ${marks.join(', ')}.`);
  if (begin !== null && !isProgram) return driveAndHandOver(run, { session, fromSeq: before.seq, begin });
  // A program says by commands what is to be gone on with, but for what goes on by itself.
  const isAsked = run.prompt !== null || options.executesAs !== null;
  return driveAsProgram(run, session, before.seq, isAsked ? begin : null);
}

/** What an existing session is to begin with: the plan, the prompt, or what is owed. Null where nothing is. */
async function beginOf(run: OpenRun, before: SessionView, resumption: Resumption): Promise<Begin | null> {
  const { executesAs } = run.options;
  if (executesAs !== null) return (await import('./plan.ts')).carryOut(executesAs);
  const prompt = promptOf(run, before);
  if (prompt !== null) return prompt;
  return resumption.kind === 'nothing' ? null : goOn(resumption.kind);
}

/** Lets other terminals reach the session from now on. */
function share({ host, log, shared }: OpenRun, session: string): void {
  const sharing = import('../reach/share.ts').then((module) => module.share(host, log, session));
  shared.push(sharing);
  sharing.catch((error: unknown) => printWarning(`other terminals cannot reach this session: ${messageOf(error)}`));
}

async function driveAsProgram(
  { host, options, onFirstAnswer }: OpenRun,
  session: SessionClient,
  fromSeq: number,
  begin: Begin | null,
): Promise<ExitCode> {
  const { serveStandardInput } = await import('./standard-input.ts');
  return serveStandardInput({ host, session, fromSeq, begin, isAwaited: options.isAwaited, onFirstAnswer });
}

/** Drives the turn; where somebody is there to choose, a plan that it wrote is carried out in the same run. */
async function driveAndHandOver(
  { host, options, hasPerson, onFirstAnswer, onRuleKept }: OpenRun,
  turn: Pick<Drive, 'session' | 'fromSeq' | 'begin'>,
): Promise<ExitCode> {
  const { session } = turn;
  const { outputFormat: format, detail } = options;
  const shown = { host, onFirstAnswer, onRuleKept, format, detail, isAttended: hasPerson, identity: host.identity };
  const code = await drive({ ...shown, ...turn });
  if (!hasPerson || format !== 'text' || code !== exitCodes.completed) return code;
  const view = await host.view(session.id);
  if (view.plan === null || view.turn !== null) return code;
  const { carryOut, chooseAgent } = await import('./plan.ts');
  const agent = await chooseAgent(view.agent, view.cwd);
  if (agent === null) return code;
  return drive({ ...shown, session, fromSeq: view.seq, begin: carryOut(agent) });
}

/** @throws `usage` if the session has not even begun. */
function nothingIsOwed(hasTurns: boolean): ExitCode {
  if (!hasTurns) throw usageError('This session has no input yet. Give it a prompt.');
  printNotice('Nothing is owed: the last turn completed. Give a prompt to go on.');
  return exitCodes.completed;
}
