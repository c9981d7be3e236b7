/**
 * Replaces content that is too large for any request, such as an image or a result of megabytes, by a line of text. Also in
 * messages that a compaction keeps: the last step, and the messages since.
 */
import type { EventData, UserPart } from '@pawl/protocol';
import { charactersPerToken } from '../history/window.ts';
import { shortenMiddle } from '../pins/pins.ts';
import type { HistoryMessage, State } from '../state.ts';
import { inProviderTokens } from './window.ts';

type Removal = EventData['context.removed']['parts'][number];
/** `source` is the tool that gave it, or `said` by whoever wrote the message. */
type Candidate = { place: Omit<Removal, 'text'>; source: string; characters: number; what: string; beginning: string };

/** Shorter content is never the reason that a request is too long. */
const minCharacters = 2000;
/** Characters that stay of a text that is removed because it is too long: its beginning and its end. */
const keptCharacters = 1000;
/** Share of the history that has to be removed when a request was too long. */
const minShare = 0.5;

/** Picks the largest content of the history until half of the history is removed; null where nothing is large. */
export function findOversized(state: State): EventData['context.removed'] | null {
  const all = state.messages.flatMap((message) => candidatesIn(message));
  const total = all.reduce((sum, { characters }) => sum + characters, 0);
  const large = all
    .filter(({ characters }) => characters >= minCharacters)
    .toSorted((one, other) => other.characters - one.characters);
  const chosen: Candidate[] = [];
  let freed = 0;
  for (const candidate of large) {
    if (freed >= total * minShare) break;
    freed += candidate.characters;
    chosen.push(candidate);
  }
  return chosen.length === 0 ? null : describeRemoval(state, chosen, 'overflow');
}

/** The content that is named, whatever its size; null if there is none. */
export function findNamedContent(state: State, named: Omit<Removal, 'text'>): EventData['context.removed'] | null {
  const found = state.messages
    .filter(({ id }) => id === named.message && id !== state.compactions.message)
    .flatMap((message) => candidatesIn(message))
    .filter(({ place: { call } }) => named.call === undefined || named.call === call)
    .filter(({ place: { part } }) => named.part === undefined || named.part === part);
  return found.length === 0 ? null : describeRemoval(state, found, 'manual');
}

/** The content that can be removed, the largest first. */
export function removableIn(state: State): (Candidate['place'] & { tokens: number; source: string; what: string })[] {
  return state.messages
    .filter(({ id }) => id !== state.compactions.message)
    .flatMap((message) => candidatesIn(message))
    .toSorted((one, other) => other.characters - one.characters)
    .map(({ place, characters, source, what }) => {
      return { ...place, tokens: Math.ceil(characters / charactersPerToken), source, what };
    });
}

function describeRemoval(
  state: State,
  chosen: readonly Candidate[],
  cause: EventData['context.removed']['cause'],
): EventData['context.removed'] {
  const parts = chosen.map(({ place, what, beginning }): Removal => {
    const why = cause === 'overflow' ? 'the model found the request too long' : 'a person took it out';
    const read = place.call === undefined ? '' : ` Read it with: history {"id":"${place.call}"}`;
    const line = `[${what} of this were taken out of what you see: ${why}.${read}]`;
    return { ...place, text: beginning === '' || cause === 'manual' ? line : `${beginning}\n${line}` };
  });
  const left = parts.reduce((sum, { text }) => sum + text.length, 0);
  const removed = chosen.reduce((sum, { characters }) => sum + characters, 0);
  const freedTokens = inProviderTokens(state, Math.max(0, Math.floor((removed - left) / charactersPerToken)));
  return { parts, freedTokens, cause };
}

function candidatesIn(message: HistoryMessage): Candidate[] {
  switch (message.role) {
    case 'user':
      return message.content.map((part, index) => {
        return { place: { message: message.id, part: index }, source: 'said', ...sizeOf([part]) };
      });
    case 'tool':
      return message.results.map(({ call, tool, content, files = [] }) => ({
        place: { message: message.id, call },
        source: tool,
        ...sizeOf([{ type: 'text', text: content }, ...files]),
      }));
    case 'assistant':
      return [];
    default:
      return message satisfies never;
  }
}

/** Files are sent as base64, which takes four characters for three bytes. */
const charactersPerByte = 4 / 3;

function sizeOf(parts: readonly UserPart[]): Omit<Candidate, 'place' | 'source'> {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const files = parts.filter((part) => part.type === 'file');
  const inText = texts.reduce((sum, text) => sum + text.length, 0);
  const inFiles = files.reduce((sum, { sizeBytes }) => sum + Math.ceil(sizeBytes * charactersPerByte), 0);
  const names = files.map(({ name, mediaType, sizeBytes }) => `${name ?? mediaType} (${sizeBytes} bytes)`);
  const what = [...(inText === 0 ? [] : [`${inText} characters`]), ...names].join(' and ');
  return { characters: inText + inFiles, what, beginning: shortenMiddle(texts.join('\n'), keptCharacters) };
}

/** The history with each part replaced by its text. Messages that lose nothing are the same objects as before. */
export function removeParts(messages: readonly HistoryMessage[], parts: readonly Removal[]): HistoryMessage[] {
  return messages.map((message) => {
    const own = parts.filter((part) => part.message === message.id);
    if (own.length === 0) return message;
    switch (message.role) {
      case 'user': {
        const texts = new Map(own.map(({ part, text }) => [part, text]));
        const content = message.content.map((part, index): UserPart => {
          const text = texts.get(index);
          return text === undefined ? part : { type: 'text', text };
        });
        return { ...message, content };
      }
      case 'tool': {
        const texts = new Map(own.map(({ call, text }) => [call, text]));
        const results = message.results.map((result) => {
          const content = texts.get(result.call);
          if (content === undefined) return result;
          const { files: _, ...rest } = result;
          return { ...rest, content };
        });
        return { ...message, results };
      }
      case 'assistant':
        return message;
      default:
        return message satisfies never;
    }
  });
}
