import { createHash } from 'node:crypto';
import type { EventData } from '@pawl/protocol';
import { messageOf, textOf, toPawlError } from '@pawl/protocol';
import { problemsOf } from '../../context/compaction/check.ts';
import { digestOf } from '../../context/compaction/digest.ts';
import type { Job } from '../../context/compaction/job.ts';
import { jobOf } from '../../context/compaction/job.ts';
import { defaultSummaryPrompt, repairPrompt, summaryPrompt, summarySystem } from '../../context/compaction/prompt.ts';
import type { Outcome } from '../../core/index.ts';
import {
  addCost,
  addUsage,
  budgetReached,
  isFull,
  isTooLong,
  noUsage,
  shortenMiddle,
  totalTokens,
} from '../../core/index.ts';
import type { Model, ModelMessage, ModelRequest } from '../../ports.ts';
import { untilAborted } from '../../waiting.ts';
import { chainRequest } from '../middleware.ts';
import type { EffectContext, Runner } from './effect.ts';
import { inTime } from './in-time.ts';

/** How long the model may take for a summary and its repair, ms: a turn may be waiting for it. */
const maxSummaryMs = 10 * 60_000;
/** How long reading the files and notes that go with it may take, ms. */
const maxReadingMs = 10_000;

/**
 * Summarises the earlier conversation with the session's model. A summary with problems is asked for once more. If it
 * still has some, or the turn cannot wait for a failing model, a digest is made without a model. May be repeated after a
 * crash.
 */
export const runCompact: Runner<'compact'> = async (effect, context) => {
  const { state, signal, report, broadcast } = context;
  const job = jobOf(state);
  if (job === null) return;
  // During a turn the turn's own activity is shown; if the turn waits for this, the session says so.
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
  // Files and notes are optional.
  const files = await inTime(() => keyFiles(job, context), maxReadingMs, context).catch(() => []);
  const recalled = await inTime(() => recall(job, context), maxReadingMs, context).catch(() => []);
  if (context.signal.aborted) return null;
  return { type: 'compaction.summarised', effect, data: { ...made, files, recalled, ...spent } };
}

/** Returns a sentence if there is no summary. Costs are added to `spent`. */
async function summarise(job: Job, context: EffectContext, spent: Spent): Promise<Summary | string> {
  const digest: Summary = { kind: 'digest', summary: digestOf(job) };
  if (job.isMechanical) return digest;
  try {
    const said = await inTime((signal) => summaryOrNull(job, { ...context, signal }, spent), maxSummaryMs, context);
    return said === null ? digest : { kind: 'summary', summary: said };
  } catch (thrown) {
    const problem = messageOf(thrown);
    const canWait = job.cause === 'threshold' && !isFull(context.state);
    return canWait ? problem : { ...digest, problem };
  }
}

/** Null when the model wrote no usable summary. */
async function summaryOrNull(job: Job, context: EffectContext, spent: Spent): Promise<string | null> {
  const model = await context.ports.modelFor(context.state.settings.model);
  const { request, said } = await firstSummary(job, model, context, spent);
  const problems = problemsOf(said, job);
  if (problems.length === 0) return said;
  if (!isAffordable(context, spent)) return null;
  const again = await askModel(repairRequest(request, said, problems, model), model, context, spent);
  return problemsOf(again, job).length === 0 ? again : null;
}

/** Shares of the window that the conversation is cut to, in turn, when the request is too long for the model. */
const shares = [1, 0.5, 0.2];

async function firstSummary(job: Job, model: Model, context: EffectContext, spent: Spent) {
  const template = context.ports.summaryPrompt ?? defaultSummaryPrompt;
  for (const share of shares) {
    const request = requestOf(context, model, summaryPrompt(template, job, share));
    try {
      return { request, said: await askModel(request, model, context, spent) };
    } catch (thrown) {
      if (!isTooLong(toPawlError(thrown, 'model_failed').code) || share === shares.at(-1)) throw thrown;
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

function repairRequest(request: ModelRequest, said: string, problems: readonly string[], model: Model): ModelRequest {
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
async function askModel(request: ModelRequest, model: Model, context: EffectContext, spent: Spent): Promise<string> {
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

/** Whether another call of about the same size is within the budget. */
function isAffordable({ state }: EffectContext, { usage, costUsd }: Spent): boolean {
  return budgetReached(state, state.turn, { tokens: totalTokens(usage), usd: costUsd }) === null;
}

const maxFiles = 6;
const maxFileCharacters = 24_000;

/** The files that were changed last, as they are now. Files that cannot be read, or are no text, are left out. */
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
    files.push({ path, digest, text: shortenMiddle(text, maxFileCharacters) });
  }
  return files;
}

/** Notes about the task and the latest input. */
async function recall({ task, messages }: Job, { ports, state }: EffectContext): Promise<string[]> {
  const last = messages.findLast((message) => message.role === 'user' && message.source === 'input');
  const said = last?.role === 'user' ? textOf(last.content) : '';
  const query = [task ?? '', said].join('\n').slice(0, 2000);
  return [...((await ports.recall?.(query, state.settings.cwd)) ?? [])];
}
