/** The lines around the composer: what goes on, what is queued, and how things stand. */
import { oneLine } from '@pawl/engine/readers/visible';
import { costText, countText, durationText, modelText } from '@pawl/engine/readers/words';
import type { Activity, LiveTask, Model, Queued } from '../model/model.ts';
import type { Style } from '../text/style.ts';
import { cutToWidth, textWidth } from '../text/width.ts';

const activityWords: Record<Activity, string> = {
  idle: 'working',
  connecting: 'connecting',
  waiting_headers: 'waiting for the model',
  waiting_first_token: 'waiting for the model',
  streaming: 'writing',
  executing: 'running tools',
  awaiting_approval: 'waits for your answer',
  awaiting_answer: 'waits for your answer',
  retrying: 'trying again',
  switching_key: 'switching to another key',
  cooling: 'waiting for the provider',
  compacting: 'making room',
  verifying: 'checking',
};

export type Place = { columns: number; now: number; style: Style };

/** What the turn does, since when, and how to stop it; nothing while idle. */
export function activityLines({ turn, isPaused }: Model, { columns, now, style }: Place): string[] {
  if (turn === null) return isPaused ? [style.yellow(cutToWidth('⏸ paused; /continue goes on', columns))] : [];
  if (turn.isStopping) return [style.yellow(cutToWidth('■ stopping', columns))];
  const words = turn.detail === null ? activityWords[turn.activity] : oneLine(turn.detail);
  const time = durationText(Math.floor(Math.max(0, now - turn.startedAt) / 1000) * 1000).replace(/^0 ms$/, '0 s');
  const line = fitted([`● ${words}`, time, `step ${turn.step}`, 'Esc cancels'], columns, [3, 2]);
  return [style.cyan(line.slice(0, 1)) + style.dim(line.slice(1))];
}

export function taskLines(tasks: readonly LiveTask[], { columns, style }: Place): string[] {
  return tasks.slice(0, 5).map(({ task, prompt, doing }) => {
    const line = cutToWidth(`▸ ${oneLine(task)}  ${oneLine(doing ?? prompt)}`, columns);
    return style.cyan(line.slice(0, 1)) + style.dim(line.slice(1));
  });
}

const deliveryWords: Record<Queued['delivery'], string> = {
  queue: 'next',
  steer: 'steers',
  interrupt: 'in its place',
  context: 'context',
};

export function queueLines(queue: readonly Queued[], { columns, style }: Place): string[] {
  const shown = queue.slice(0, 4).map(({ text, delivery }, index) => {
    const how = index === queue.length - 1 ? '  (Alt-Up edits)' : '';
    return cutToWidth(`↳ ${deliveryWords[delivery]}: ${oneLine(text)}`, columns - how.length) + how;
  });
  const more = queue.length - shown.length;
  return [...shown, ...(more > 0 ? [`  and ${more} more`] : [])].map(style.dim);
}

/** Facts about the place that no session knows. */
export type Standing = { folder: string; branch: string | null; session: string | null; hint: string | null };

/** Agent, mode, model, context, cost, place. Of a narrow line, what says least is left out first. */
export function statusLine(model: Model, standing: Standing, { columns, style }: Place): string {
  const { settings, runningModel, context, costUsd } = model;
  if (standing.hint !== null) return style.yellow(cutToWidth(oneLine(standing.hint), columns));
  if (settings === null) return style.dim(cutToWidth(oneLine(standing.folder), columns));
  const chosen = modelText(settings.model);
  const running = runningModel === null ? chosen : `${chosen} → ${modelText(runningModel)}`;
  const full = context === null ? '' : `${context.percent}% of ${countText(context.limitTokens)}`;
  const cost = costUsd === null || costUsd === 0 ? '' : costText(costUsd);
  const place = standing.branch === null ? standing.folder : `${standing.folder} ⎇ ${standing.branch}`;
  const parts = [oneLine(settings.agent), settings.mode, oneLine(running), full, cost, oneLine(place)];
  return style.dim(fitted(parts, columns, [5, 4, 0, 1, 3]));
}

/** The parts that have something to say, in one line; while it is too long, one after another of `leaving` goes. */
function fitted(parts: readonly string[], columns: number, leaving: readonly number[]): string {
  let shown = parts.map((part, index) => ({ part, index })).filter(({ part }) => part !== '');
  const text = () => shown.map(({ part }) => part).join(' · ');
  for (const next of leaving) {
    if (textWidth(text()) <= columns) break;
    shown = shown.filter(({ index }) => index !== next);
  }
  return cutToWidth(text(), columns);
}
