/** A simulated world with one tree of tasks in it: machines crash, the disk fails, people cancel, deny, and write to tasks. */
import type { Clock, Tool } from '@pawl/engine';
import { createHost } from '@pawl/engine';
import { core as realCore, runners as realRunners } from '@pawl/engine/testing';
import type { SessionClient } from '@pawl/protocol';
import { isPawlError, messageOf } from '@pawl/protocol';
import { taskTools } from '@pawl/tools';
import type { Violation } from '../checks/invariants.ts';
import { createDisk } from '../world/log.ts';
import type { Mutation } from '../world/machine.ts';
import { type StaleReport, withOutcomeFaults } from '../world/outcomes.ts';
import { createRandom } from '../world/random.ts';
import type { Owner } from '../world/scheduler.ts';
import { createScheduler, settled } from '../world/scheduler.ts';
import type { RunResult } from '../world/world.ts';
import { type Branch, checkBranch, checkRest, createBranch } from './check.ts';
import { createTreeModel } from './model.ts';
import { watchStops } from './stops.ts';
import { isStormy, stormyLimit } from './storms.ts';

const maxSteps = 20_000;
const root = 's1';

/** Refusals that anybody may meet in such a world. */
const expected = new Set(
  'already_cancelled busy conflict ending host_closed log_unavailable no_session no_task no_turn not_owner session_closed session_locked session_lost task_ended foreign_task old_instance no_rule'.split(
    ' ',
  ),
);

type Machine = Owner & { isClosing: boolean; host: ReturnType<typeof createHost> };

export async function simulateTree(
  seed: number,
  options: { trace?: boolean; mutation?: Mutation } = {},
): Promise<RunResult> {
  const trace: string[] = [];
  const random = createRandom(seed);
  const scheduler = createScheduler(random, options.trace === true ? (line) => trace.push(line) : null);
  const { core = {}, runners = {} } = options.mutation ?? {};
  const branches = new Map<string, Branch>();
  const machines: Machine[] = [];
  let violation: Violation | null = null;
  let isCalm = false;
  let steps = 0;
  const violate = (invariant: Violation['invariant'], message: string): void => {
    if (violation !== null) return;
    violation = { invariant, message };
    scheduler.note(`VIOLATION of ${invariant}: ${message}`);
  };
  const onUnhandled = (reason: unknown): void =>
    violate(
      'I17 ending',
      `A promise was rejected and nobody looked: ${reason instanceof Error ? reason.stack : reason}`,
    );
  process.on('unhandledRejection', onUnhandled);

  const disk = createDisk({
    scheduler,
    random,
    isFaulty: () => !isCalm,
    ignoresExpectedSeq: false,
    onLanded(session, events) {
      const branch = branches.get(session) ?? createBranch(session);
      branches.set(session, branch);
      checkBranch(branch, events, branches, violate);
    },
    onAcknowledged: () => undefined,
  });

  const stale: StaleReport[] = [];
  const faults = { scheduler, random, isFaulty: () => !isCalm, onStale: (report: StaleReport) => stale.push(report) };

  const startMachine = (): Machine => {
    const owner: Owner = { name: `m${machines.length + 1}`, isAsleep: false, isDead: false };
    const skewMs = random.below(100);
    const clock: Clock = {
      now: () => scheduler.now() + skewMs,
      at: (at, call) => scheduler.at(owner, at - skewMs, 'timer', call),
    };
    let ids = 0;
    const host = createHost({
      log: disk.view(owner),
      clock,
      model: createTreeModel({ scheduler, random, isCalm: () => isCalm, isStormy: isStormy(seed) }, owner),
      tools: [...taskTools().map(unchecked), ...plainTools((label) => scheduler.wait(owner, label))],
      createId: () => `${owner.name}-${++ids}`,
      tasks: { steps: 4, durationMs: 60_000 },
      internals: {
        core: { ...realCore, ...core },
        runners: withOutcomeFaults(
          watchStops({ ...realRunners, ...runners }, () => machine.isClosing, violate),
          owner,
          faults,
        ),
      },
    });
    const machine: Machine = Object.assign(owner, { host, isClosing: false });
    machines.push(machine);
    scheduler.note(`${machine.name} starts`);
    return machine;
  };
  const alive = () => machines.filter(({ isDead }) => !isDead);
  const crash = (machine: Machine) => {
    scheduler.note(`${machine.name} crashes`);
    machine.isDead = true;
    scheduler.drop(machine);
    disk.lose(machine);
    disk.release(machine);
  };
  const forgive = (error: unknown) => {
    if (!isPawlError(error) || !expected.has(error.code)) violate('I17 ending', messageOf(error));
  };
  /** Nobody need be asking when a session breaks down: whoever follows it is told. */
  const listen = (client: SessionClient) => {
    (async () => {
      for await (const _ of client.events());
    })().catch(forgive);
  };
  let commands = 0;
  const ask = (
    machine: Machine,
    session: string,
    type: 'input.send' | 'turn.cancel' | 'task.cancel' | 'task.send' | 'rule.add',
    data: object,
  ) => {
    const id = `h${++commands}`;
    machine.host
      .open(session)
      .then((client) => {
        listen(client);
        return client.command(type, data as never, id);
      })
      .catch(forgive);
  };

  const act = () => {
    const machine = alive().length === 0 ? startMachine() : random.pick(alive());
    const sessions = [...branches.keys()];
    const action = random.weighted({
      send: 6,
      cancel: 3,
      deny: 2,
      cancel_task: 3,
      write: 3,
      focus: 2,
      crash: 3,
      join: 1,
      sleep: 2,
      shut_down: 1,
      repeat_outcome: 2,
    });
    const state = branches.get(root)?.state;
    const tasks = state?.tasks ?? [];
    switch (action) {
      case 'send':
        ask(machine, root, 'input.send', {
          content: [{ type: 'text', text: `Input ${random.below(1e6)}` }],
          delivery: random.pick(['queue', 'steer', 'interrupt']),
        });
        return;
      case 'cancel':
        ask(machine, root, 'turn.cancel', { queue: 'run' });
        return;
      case 'deny':
        ask(machine, random.pick(sessions), 'rule.add', { list: 'deny', rule: random.pick(['look', 'set']) });
        return;
      case 'cancel_task':
        if (tasks.length > 0) ask(machine, root, 'task.cancel', { task: random.pick(tasks).id });
        return;
      case 'write':
        if (tasks.length > 0)
          ask(machine, root, 'task.send', {
            task: random.pick(tasks).id,
            text: 'Hurry.',
            delivery: random.pick(['queue', 'steer', 'interrupt']),
          });
        return;
      case 'focus':
        ask(machine, random.pick(sessions), 'turn.cancel', { queue: 'run' });
        return;
      case 'crash':
        crash(machine);
        return;
      case 'join':
        if (alive().length < 3) startMachine();
        return;
      case 'sleep':
        if (machine.isAsleep || random.chance(0.5)) for (const each of alive()) each.isAsleep = false;
        else machine.isAsleep = true;
        return;
      case 'repeat_outcome': {
        const reports = stale.filter(({ owner }) => !owner.isDead && !owner.isAsleep);
        if (reports.length > 0) random.pick(reports).repeat();
        return;
      }
      case 'shut_down':
        scheduler.note(`${machine.name} shuts down`);
        machine.isClosing = true;
        machine.host.close().then(() => crash(machine), forgive);
        return;
      default:
        action satisfies never;
    }
  };

  const go = async (isOver: () => boolean): Promise<void> => {
    for (;;) {
      await settled();
      if (violation !== null || isOver() || !scheduler.step(true)) return;
      if (++steps > maxSteps) violate('I28 waiting', `It goes on and on, after ${steps} steps.`);
    }
  };

  try {
    const budget = random.chance(0.5) ? { sessionTokens: 500 + random.below(4000) } : {};
    const time = isStormy(seed) ? { durationMs: stormyLimit(random) } : {};
    const limits = { steps: 5, ...budget, ...time };
    const rules = { deny: random.chance(0.3) ? ['set'] : [] };
    let isBegun = false;
    startMachine()
      .host.create({ id: root, cwd: '/w', mode: 'auto', rules, limits })
      .then(listen, forgive)
      .finally(() => {
        isBegun = true;
      });
    await go(() => isBegun);
    let actions = branches.size === 0 ? 0 : 4 + random.below(16);
    while (violation === null) {
      await settled();
      if ((actions > 0 && random.chance(0.06)) || !scheduler.step(actions > 0 && random.chance(0.3))) {
        if (actions-- <= 0) break;
        act();
      }
      if (++steps > maxSteps) violate('I28 waiting', `It goes on and on, after ${steps} steps.`);
    }
    isCalm = true;
    if (violation === null && branches.size > 0) {
      for (const machine of alive()) machine.isAsleep = false;
      await go(() => false);
      for (const machine of alive()) crash(machine);
      const last = startMachine();
      last.host
        .open(root)
        .catch((error: unknown) => violate('I28 waiting', `${root} cannot be opened: ${messageOf(error)}`));
      await go(() => false);
      if (violation === null) checkRest(branches, violate);
    }
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
  const bytes = disk
    .sessions()
    .map((session) => `${session}\n${disk.bytes(session)}`)
    .join('\n\n');
  return { seed, violation, bytes, trace, steps };
}

/** Validators are loaded when they are first needed, which no scheduler sees; here arguments are right. */
function unchecked(tool: Tool): Tool {
  const { input, ...rest } = tool;
  const validate = (value: unknown) => ({ value });
  const schema = { '~standard': { version: 1 as const, vendor: 'simulation', validate } };
  return { ...rest, input: schema, inputSchema: '~standard' in input ? { type: 'object' } : input };
}

function plainTools(wait: (label: string) => Promise<void>): Tool[] {
  return (['look', 'set'] as const).map((name) =>
    unchecked({
      name,
      description: name,
      input: { type: 'object' },
      effect: name === 'look' ? 'read' : 'external',
      async run() {
        await wait(name);
        return { content: `${name} done` };
      },
    }),
  );
}
