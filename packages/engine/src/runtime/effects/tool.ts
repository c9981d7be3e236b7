import { messageOf } from '@pawl/protocol';
import type { Call } from '../../core/index.ts';
import { findCall, isOutOfTime } from '../../core/index.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../ports.ts';
import { outcomeOf } from '../outcome.ts';
import type { EffectContext, Runner } from './effect.ts';
import type { Ended } from './ended.ts';
import { endingOf, inputOf, runOnce, stoppedStatus, withGrace } from './run.ts';
import { toolScope } from './scope.ts';

/**
 * Runs a call, whose intent is in the log. After a crash no deed is repeated unless that is harmless:
 * the tool is asked what became of it, and where nobody knows, that is the outcome.
 */
export const runTool: Runner<'tool'> = async (effect, context) => {
  const call = findCall(context.state, effect.call);
  if (call === undefined) return;
  const tool = context.ports.tools.get(call.tool);
  const owed = { effect: effect.id, call };
  if (tool === undefined) {
    // The tool existed when the call was judged; the host was restarted without it.
    const content = `There is no tool "${call.tool}" here any more.`;
    await finish(context, owed, { ending: { status: 'unknown', content } });
  } else if (effect.mode === 'run') {
    await perform(context, owed, tool);
  } else {
    await recover(context, owed, tool, effect.mode);
  }
};

/** The effect's id, under which the outcome is reported, and its call. */
type Owed = { effect: string; call: Call };

/** Recovers a call whose process is gone; with `stop` nothing is run again. */
async function recover(context: EffectContext, owed: Owed, tool: Tool, mode: 'recover' | 'stop'): Promise<void> {
  const effect = owed.call.claims?.effect;
  const isHarmless = effect === 'read' || (effect === 'idempotent' && mode === 'recover');
  const found = isHarmless ? 'not_done' : await reconciled(context, owed, tool, mode);
  if (found === 'not_done' && mode === 'recover') {
    await perform(context, owed, tool);
  } else if (found === 'not_done') {
    const { turn } = context.state;
    const isLate = turn !== null && isOutOfTime(turn);
    const why = isLate ? 'Stopped: the turn ran out of time.' : 'Cancelled.';
    const content = `${why} It had begun and took no effect.`;
    await finish(context, owed, { ending: { status: isLate ? 'out_of_time' : 'cancelled', content } });
  } else if (found !== null) {
    await finish(context, owed, await endingOf(context, outcomeOf(tool.name, found)));
  } else {
    const content =
      'Interrupted: the program was stopped while this ran, and nobody knows whether it took effect. Look at the state of things before trying it again.';
    await finish(context, owed, { ending: { status: 'unknown', content } });
  }
}

/** Asks the tool whether its deed was done; null if nobody can know. */
async function reconciled(
  context: EffectContext,
  { call }: Owed,
  tool: Tool,
  mode: 'recover' | 'stop',
): Promise<ToolOutcome | 'not_done' | null> {
  const evidence = call.judgement?.evidence;
  const input = await inputOf(tool, call).catch(() => null);
  if (tool.reconcile === undefined || evidence === undefined || input === null) return null;
  const asked = tool.reconcile(input, evidence, toolScope(context, call));
  // A stopped turn gives this no more time than any other call.
  const signal = mode === 'stop' ? AbortSignal.abort() : context.signal;
  return withGrace({ ...context, signal }, tool.name, asked).catch(() => null);
}

async function perform(context: EffectContext, owed: Owed, tool: Tool): Promise<void> {
  const { broadcast, signal, speculation } = context;
  const { call } = owed;
  if (signal.aborted) {
    const content = `Not run. ${messageOf(signal.reason)}`;
    await finish(context, owed, { ending: { status: stoppedStatus(signal), content } });
    return;
  }
  const words = context.ports.redactor.stream();
  const progress: ToolContext['progress'] = ({ text, ...update }) => {
    const said = text === undefined ? '' : words.push(text);
    const data = { call: call.id, state: 'running' as const, ...update, ...(said !== '' && { text: said }) };
    broadcast({ type: 'tool.progress', data });
  };
  progress({});
  const ran = await (speculation.take(call, signal) ?? runOnce(context, tool, call, progress));
  if ('outdated' in ran) {
    const data = { call: call.id, reason: ran.outdated };
    await context.report({ type: 'tool.outdated', effect: owed.effect, data });
    return;
  }
  await finish(context, owed, ran);
}

async function finish(context: EffectContext, owed: Owed, { ending, ...said }: Ended): Promise<void> {
  const data = { call: owed.call.id, ...ending };
  await context.report({ type: 'tool.finished', effect: owed.effect, data, ...said });
}
