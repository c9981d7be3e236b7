import { appendFileSync, chmodSync, writeFileSync } from 'node:fs';
import type { Model, ModelEvent, ModelRequest } from '@pawl/engine';
import { messageOf, PawlError, toPawlError } from '@pawl/protocol';
import { failureDetails } from '../errors.ts';
import { type AnswerLine, type CallLine, cassetteVersion, type Header } from './cassette.ts';
import { type Comparable, comparable, toolNames } from './comparable.ts';

type Session = { number: number; messages: ModelRequest['messages'] };

/**
 * The same model, with its traffic written to a cassette at `path` as it happens, for `replay`. What was in the file
 * is replaced. The cassette holds what user, model and tools said, so only its owner may read it.
 * @throws `record_failed` if the file cannot be written.
 */
export function record(model: Model, path: string): Model {
  const sessions = new Map<string, Session>();
  let calls = 0;
  const header: Header = { type: 'cassette', version: cassetteVersion, model: model.id, info: model.info };
  attempt(path, () => {
    writeFileSync(path, `${JSON.stringify(header)}\n`, { mode: 0o600 });
    // The mode counts only for a file that is new.
    chmodSync(path, 0o600);
  });
  const write = (line: CallLine | AnswerLine) => attempt(path, () => appendFileSync(path, `${JSON.stringify(line)}\n`));

  return {
    id: model.id,
    info: model.info,
    ...(model.limitsRequests === true && { limitsRequests: true }),
    async *stream(request, signal) {
      const call = ++calls;
      write(callLine(call, request, sessions));
      const events: ModelEvent[] = [];
      let error: AnswerLine['error'];
      try {
        for await (const event of model.stream(request, signal)) {
          events.push(event);
          yield event;
        }
      } catch (thrown) {
        const { code, message } = toPawlError(thrown, 'model_failed');
        error = { code, message, details: failureDetails(thrown) };
        throw thrown;
      } finally {
        write({ type: 'answer', call, events, ...(error === undefined ? {} : { error }) });
      }
    },
  };
}

function callLine(call: number, request: ModelRequest, sessions: Map<string, Session>): CallLine {
  const known = sessions.get(request.session);
  const before = known?.messages ?? [];
  const isSame = before.findIndex((message, index) => message !== request.messages[index]);
  const from = isSame === -1 ? before.length : isSame;
  const number = known?.number ?? sessions.size + 1;
  sessions.set(request.session, { number, messages: [...request.messages] });
  const messages: Comparable[] = request.messages.map(comparable);
  const tools = toolNames(request);
  return {
    type: 'call',
    call,
    session: number,
    tools,
    from,
    messages: messages.slice(from),
  };
}

function attempt(path: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    throw new PawlError('record_failed', `${path} cannot be written: ${messageOf(error)}.`, { cause: error });
  }
}
