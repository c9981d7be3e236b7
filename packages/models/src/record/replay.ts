import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Model, ModelRequest } from '@pawl/engine';
import { messageOf, PawlError } from '@pawl/protocol';
import { modelError } from '../errors.ts';
import { type RecordedCall, readCassette } from './cassette.ts';
import { type Comparison, comparable, difference, toolNames } from './comparable.ts';

export type ReplayOptions = {
  /** `all` (default) compares what tools answered as well; `calls` does not, for tools whose answers vary. */
  compare?: Comparison;
};

/**
 * The model `replay:<file>`: plays a cassette of `record`, call by call. Each session of the replay plays the
 * recorded session that first called as early as it did. What is compared is told at `Comparable`.
 * @throws `no_cassette`, `bad_cassette`, `cassette_too_new`; when called, `replay_diverged` if a request is not the
 * recorded one, `replay_exhausted` if the recording has no more calls, and what was recorded as an error.
 */
export function replay(path: string, options: ReplayOptions = {}): Model {
  const { header, calls } = readCassette(readText(path), path);
  const sessions = new Map<string, RecordedCall[]>();

  function next(request: ModelRequest): RecordedCall {
    let left = sessions.get(request.session);
    if (left === undefined) {
      const number = sessions.size + 1;
      left = calls.filter(({ session }) => session === number);
      // A session that another process began has been given the first answers already.
      if (request.messages.some(({ role }) => role === 'assistant')) {
        left = left.filter(({ messages }) => messages.length >= request.messages.length);
      }
      sessions.set(request.session, left);
    }
    const recorded = left[0];
    if (recorded === undefined || recorded.answer === null) {
      const reason = recorded === undefined ? 'has no further call of this session' : 'was cut off in this call';
      throw new PawlError('replay_exhausted', `The recording ${path} ${reason}. Record it again.`);
    }
    check(recorded, request);
    left.shift();
    return recorded;
  }

  function check(recorded: RecordedCall, request: ModelRequest): void {
    const tools = toolNames(request);
    const offered =
      recorded.tools.join() === tools.join()
        ? null
        : `the tools were ${recorded.tools.join(', ')} and are ${tools.join(', ')}`;
    const reason = offered ?? difference(recorded.messages, request.messages.map(comparable), options.compare ?? 'all');
    if (reason === null) return;
    throw new PawlError(
      'replay_diverged',
      `Call ${recorded.call} of ${path} is not the recorded one: ${reason}. Restore what it was recorded with, or record it again.`,
    );
  }

  return {
    // Whole, so that a session of it can be gone on with from anywhere.
    id: `replay:${resolve(path)}`,
    info: header.info,
    // What was tried again is in the recording; a failure in it is how that call ended.
    limitsRequests: true,
    async *stream(request, signal) {
      const { answer } = next(request);
      for (const event of answer?.events ?? []) {
        if (signal.aborted) throw new PawlError('cancelled', 'The call was cancelled.', { cause: signal.reason });
        yield event;
      }
      const error = answer?.error;
      if (error !== undefined) throw modelError(error.code, error.message, error.details);
    },
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new PawlError('no_cassette', `There is no recording ${path}: ${messageOf(error)}.`, { cause: error });
  }
}
