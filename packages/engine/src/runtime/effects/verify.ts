import type { JsonObject } from '@pawl/protocol';
import type { Tool } from '../../ports.ts';
import type { EffectContext, Runner } from './effect.ts';
import { judge } from './judge.ts';
import { runOnce } from './run.ts';

/** The tool that runs commands. */
const shell = 'bash';
/** Tries, if the check is outdated each time it is to run. */
const maxTries = 3;

type Verified = { ok: boolean; output: string; problem?: string };

/**
 * Runs the person's check with the shell tool, in the same sandbox. It needs no approval, because a person named it, but
 * a deny rule still holds. It may be run again after a crash.
 */
export const runVerify: Runner<'verify'> = async (effect, context) => {
  const command = context.state.turn?.loop?.verify ?? null;
  if (command === null) return;
  context.broadcast({ type: 'activity', data: { activity: 'verifying', detail: command } });
  const verified = await verify(effect.id, command, context);
  if (context.signal.aborted) return;
  await context.report({ type: 'loop.verified', effect: effect.id, ...verified });
};

async function verify(id: string, command: string, context: EffectContext): Promise<Verified> {
  const tool = context.ports.tools.get(shell);
  if (tool === undefined) return cannotVerify(`there is no tool "${shell}" here`);
  const call = { id, tool: shell, malformed: null, input: inputOf(tool, command) };
  // The agent may have run the same command; that is no repetition here.
  const { turn } = context.state;
  const state = turn === null ? context.state : { ...context.state, turn: { ...turn, doneCalls: [] } };
  const world = { ...context, state };
  for (let tries = 0; tries < maxTries; tries++) {
    const judgement = await judge(call, world);
    if (judgement.verdict === 'deny') return cannotVerify(judgement.reason ?? `the rule "${judgement.rule}" denies it`);
    const ran = await runOnce(context, tool, { ...call, judgement }, () => undefined);
    if ('outdated' in ran) continue;
    return { ok: ran.ending.status === 'ok', output: ran.ending.content };
  }
  return { ok: false, output: 'The check could not be begun: what it is contained in changed each time.' };
}

const cannotVerify = (reason: string): Verified => ({
  ok: false,
  output: '',
  problem: `The check that was to be passed cannot be run: ${reason.replace(/\.$/, '')}. Continue without it, or change what is in its way.`,
});

type Limited = { properties?: { timeoutMs?: { maximum?: number } } };

/** A check may take as long as any command may. */
function inputOf(tool: Tool, command: string): JsonObject {
  const inputSchema: object = tool.inputSchema ?? tool.input;
  const { properties } = inputSchema as Limited;
  const longest = properties?.timeoutMs?.maximum;
  return { command, ...(longest !== undefined && { timeoutMs: longest }) };
}
