import { createHash } from 'node:crypto';
import type { EventData } from '@pawl/protocol';
import { messageOf, textOf, toPawlError } from '@pawl/protocol';
import { problemsOf } from '../../context/compaction/check.ts';
import { digestOf } from '../../context/compaction/digest.ts';
import type { Job } from '../../context/compaction/job.ts';
import { jobOf } from '../../context/compaction/job.ts';
import { defaultSummaryPrompt, repairPrompt, summaryPrompt, summarySystem } from '../../context/compaction/prompt.ts';
import type { Outcome } from '../../core/index.ts';
import { addCost, addUsage, budgetReached, isFull, noUsage, shortenMiddle, totalTokens } from '../../core/index.ts';
import type { Model, ModelMessage, ModelRequest } from '../../ports.ts';
import { untilAborted } from '../../waiting.ts';
import { chainRequest } from '../middleware.ts';
import type { EffectContext, Runner } from './effect.ts';
import { inTime } from './in-time.ts';

/** How long the model may take for a summary and its repair, ms: a turn may be waiting for it. */
const maxSummaryMs = 10 * 60_000;
/** How long files and memory may take that go with it, ms. */
const maxReadingMs = 10_000;

/**
 * Summarises the earlier conversation with the session's model. A summary that is none is asked for once more; then,
 * and where the turn cannot wait for a model that fails, a digest is made without one. May be repeated after a crash.
 */
export const runCompact: Runner<'compact'> = async (effect, context) => {
  const { state, signal, report, broadcast } = context;
  const job = jobOf(state);
  if (job === null) return;
  // Beside a turn, that is what is told of; where the turn waits for this, the session says so.
  if (state.turn === null) broadcast({ type: 'activity', data: { activity: 'compacting' } });
  const outcome = await untilAborted(signal, outcomeOf(effect.id, job, context));
  if (outcome !== null) await report(outcome);
};

type Summary = Pick<EventData['compaction.summarised'], 'kind' | 'summary' | 'problem'>;
type Spent = Required<Pick<ModelMessage, 'usage' | 'costUsd'>>;

async function outcomeOf(effect: string, job: Job, context: EffectContext): Promise<Outcome | null> {
  const spent: Spent = { usage: noUsage, costUsd: 0 };
  const made = await summarise(job, context, spent);
  if (context.signal.aborted) return null;
  if (typeof made === 'string') {
    return { type: 'compaction.failed', effect, data: { message: made, ...spent } };
  }
  // What goes with the summary helps, and its absence harms nothing.
  const files = await inTime(() => keyFiles(job, context), maxReadingMs, context).catch(() => []);
  const recalled = await inTime(() => recall(job, context), maxReadingMs, context).catch(() => []);
  if (context.signal.aborted) return null;
  return { type: 'compaction.summarised', effect, data: { ...made, files, recalled, ...spent } };
}

/** A sentence instead of a summary says why there is none. What was spent is added to `spent`. */
async function summarise(job: Job, context: EffectContext, spent: Spent): Promise<Summary | string> {
  const digest: Summary = { kind: 'digest', summary: digestOf(job) };
  if (job.isMechanical) return digest;
  try {
    const said = await inTime((signal) => checked(job, { ...context, signal }, spent), maxSummaryMs, context);
    return said === null ? digest : { kind: 'summary', summary: said };
  } catch (thrown) {
    const problem = messageOf(thrown);
    const canWait = job.cause === 'threshold' && !isFull(context.state);
    return canWait ? problem : { ...digest, problem };
  }
}

/** Null when the model wrote none that can be used. */
async function checked(job: Job, context: EffectContext, spent: Spent): Promise<string | null> {
  const model = await context.ports.modelFor(context.state.settings.model);
  const { request, said } = await firstSummary(job, model, context, spent);
  const problems = problemsOf(said, job);
  if (problems.length === 0) return said;
  if (!isAffordable(context, spent)) return null;
  const again = await ask(repaired(request, said, problems, model), model, context, spent);
  return problemsOf(again, job).length === 0 ? again : null;
}

/** What the conversation is cut to, of the room that there should be, when the model finds it too long. */
const shares = [1, 0.5, 0.2];

async function firstSummary(job: Job, model: Model, context: EffectContext, spent: Spent) {
  const template = context.ports.summaryPrompt ?? defaultSummaryPrompt;
  for (const share of shares) {
    const request = requestOf(context, model, summaryPrompt(template, job, share));
    try {
      return { request, said: await ask(request, model, context, spent) };
    } catch (thrown) {
      const isTooLong = toPawlError(thrown, 'model_failed').code === 'context_overflow';
      if (!isTooLong || share === shares.at(-1)) throw thrown;
    }
  }
  throw new Error('There is always a last share.');
}

const maxSummaryTokens = 8000;

function requestOf({ state }: EffectContext, model: Model, prompt: string): ModelRequest {
  return {
    session: state.session,
    model: model.id.slice(model.id.indexOf('/') + 1),
    purpose: 'compaction',
    system: summarySystem,
    tools: [],
    messages: [{ role: 'user', source: 'engine', content: [{ type: 'text', text: prompt }] }],
    tail: null,
    maxOutputTokens: Math.min(model.info.outputTokens, maxSummaryTokens),
  };
}

function repaired(request: ModelRequest, said: string, problems: readonly string[], model: Model): ModelRequest {
  const text = said.trim() === '' ? '(nothing)' : said;
  return {
    ...request,
    messages: [
      ...request.messages,
      {
        role: 'assistant',
        content: [{ type: 'text', text }],
        model: model.id,
        stopReason: 'end',
        usage: noUsage,
        costUsd: 0,
      },
      { role: 'user', source: 'engine', content: [{ type: 'text', text: repairPrompt(problems) }] },
    ],
  };
}

/** One call of the model; the text of its answer. */
async function ask(request: ModelRequest, model: Model, context: EffectContext, spent: Spent): Promise<string> {
  const { ports, signal, broadcast } = context;
  const stream = chainRequest(ports.requestMiddleware, (changed, limit) => model.stream(changed, limit));
  for await (const event of stream({ ...request, at: ports.clock.now() }, signal)) {
    if (event.type === 'notice') {
      const { level, code, message } = event;
      broadcast({ type: 'notice', data: { level, code, message } });
    }
    if (event.type !== 'finished') continue;
    const { content, usage, costUsd } = event.message;
    spent.usage = addUsage(spent.usage, usage);
    spent.costUsd = addCost(spent.costUsd, costUsd);
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  }
  throw new Error('The model ended its stream without a whole summary.');
}

/** Another call of about the same size. */
function isAffordable({ state }: EffectContext, { usage, costUsd }: Spent): boolean {
  return budgetReached(state, state.turn, { tokens: totalTokens(usage), usd: costUsd }) === null;
}

const maxFiles = 6;
const longestFile = 24_000;

/** The files that were changed last, as they are now. What cannot be read, or is no text, is left out. */
async function keyFiles(
  { edited }: Job,
  { ports }: EffectContext,
): Promise<EventData['compaction.summarised']['files']> {
  const files: EventData['compaction.summarised']['files'] = [];
  for (const path of edited.slice(-maxFiles)) {
    const bytes = await ports.readFile(path).catch(() => null);
    if (bytes === null || bytes.includes(0)) continue;
    const text = ports.redactor.redact(new TextDecoder().decode(bytes));
    const digest = `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
    files.push({ path, digest, text: shortenMiddle(text, longestFile) });
  }
  return files;
}

/** What memory has to the task and to what was said last. */
async function recall({ task, messages }: Job, { ports, state }: EffectContext): Promise<string[]> {
  const last = messages.findLast((message) => message.role === 'user' && message.source === 'input');
  const said = last?.role === 'user' ? textOf(last.content) : '';
  const query = [task ?? '', said].join('\n').slice(0, 2000);
  return [...((await ports.recall?.(query, state.settings.cwd)) ?? [])];
}
