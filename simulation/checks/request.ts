/** A request to the model must hold the history as the log has it, in a form that every provider takes. */
import type { ModelRequest } from '@pawl/engine';
import type { FilePart } from '@pawl/protocol';
import { checkAdvice, checkAsking } from './answers.ts';
import type { Book } from './book.ts';
import { checkWindow } from './compaction.ts';
import type { Violate } from './invariants.ts';

export function checkRequest(
  book: Book,
  request: ModelRequest,
  blobOf: (digest: string) => Uint8Array | null,
  violate: Violate,
): void {
  const { messages } = request;
  const wrong = (why: string) => violate('I8 request', `${book.session}: ${why}`);
  messages.forEach((message, index) => {
    const expected = book.history[index];
    if (expected === undefined || JSON.stringify(plain(message, book)) !== JSON.stringify(plain(expected, book))) {
      wrong(`message ${index} of the request is not the one of the log: ${expected?.role} ${expected?.id}.`);
    }
    const before = messages[index - 1];
    const asked =
      before?.role === 'assistant'
        ? before.content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))
        : [];
    const given = message.role === 'tool' ? message.results.map((result) => result.call) : [];
    if (asked.join() !== given.join()) wrong(`calls ${asked.join()} were answered by results ${given.join()}.`);
    if (message.role === 'assistant' && message.content.length === 0) wrong(`message ${index} is empty.`);
  });
  if (messages.length !== book.history.length) {
    wrong(`the request has ${messages.length} messages, the log ${book.history.length}.`);
  }
  const last = messages.at(-1);
  const endsInCall = last?.role === 'assistant' && last.content.some((part) => part.type === 'tool_call');
  if (endsInCall) wrong('it ends in a call.');
  checkAdvice(book, request, wrong);
  checkAsking(book, violate);
  checkWindow(book, request, violate);
  if (request.signedFrom !== book.signedFrom) {
    wrong(`thinking counts as signed from ${request.signedFrom} on, and is from ${book.signedFrom} on.`);
  }
  for (const { digest } of messages.flatMap(filesOf)) {
    const [given, kept] = [request.file?.(digest) ?? null, blobOf(digest)];
    if (String(given) !== String(kept)) wrong(`the bytes of ${digest} are not given as they were kept.`);
  }
}

function filesOf(message: ModelRequest['messages'][number]): FilePart[] {
  switch (message.role) {
    case 'user':
      return message.content.filter((part) => part.type === 'file');
    case 'tool':
      return message.results.flatMap((result) => result.files ?? []);
    case 'assistant':
      return [];
    default:
      return message satisfies never;
  }
}

/** What a provider gets of a message. */
function plain(message: ModelRequest['messages'][number] & { id?: string }, { trimmed }: Book): unknown {
  switch (message.role) {
    case 'user':
      return ['user', message.input, message.content];
    case 'assistant':
      return ['assistant', message.content];
    case 'tool':
      return [
        'tool',
        message.results.map(({ call, status, content, files }) =>
          trimmed.has(`${message.id} ${call}`) ? [call, status] : [call, status, content, files],
        ),
      ];
    default:
      return message satisfies never;
  }
}
