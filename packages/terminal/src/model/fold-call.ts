/** A call, from its card's first line to its outcome. */
import type { DurableEvent, TransientEvent } from '@pawl/protocol';
import { addItem, changeItem } from './change.ts';
import { newCall } from './fold-answer.ts';
import type { CallItem } from './items.ts';
import type { Model } from './model.ts';

/** Of what a tool puts out, only so much of the end is kept, characters. */
const mostOutput = 4000;

export function foldCall(
  model: Model,
  event: DurableEvent | Extract<TransientEvent, { type: 'tool.progress' }>,
): Model {
  switch (event.type) {
    case 'tool.judged': {
      const { call, preview } = event.data;
      return preview === undefined ? model : change(model, call, (item) => ({ ...item, preview }));
    }
    case 'approval.resolved': {
      const { call, input } = event.data;
      return input === undefined ? model : change(model, call, (item) => ({ ...item, input, preview: null }));
    }
    case 'tool.started':
      return change(model, event.data.call, (item) => ({ ...item, state: 'running', startedAt: event.at }));
    case 'tool.progress': {
      const { call, text = '', done = null, total = null } = event.data;
      return change(model, call, (item) => ({
        ...item,
        output: (item.output + text).slice(-mostOutput),
        done: done ?? item.done,
        total: total ?? item.total,
      }));
    }
    case 'tool.finished': {
      const { call } = event.data;
      const isShown = model.items.some((item) => item.kind === 'call' && item.id === call);
      const shown = isShown ? model : addItem(model, newCall(call, call));
      return change(shown, call, (item) => ({ ...item, state: 'over', finished: event.data, output: '' }));
    }
    default:
      return model;
  }
}

function change(model: Model, call: string, to: (item: CallItem) => CallItem): Model {
  return changeItem(model, call, (item) => (item.kind === 'call' ? to(item) : item));
}
