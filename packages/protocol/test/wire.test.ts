import { readFileSync } from 'node:fs';
import type { EventType } from '@pawl/protocol';
import { eventVersions, isPawlError, PawlError, protocolVersion, upgradeEvent } from '@pawl/protocol';
import {
  commandData,
  commandSchema,
  eventData,
  eventSchema,
  protocolJsonSchema,
  transientData,
  transientSchema,
} from '@pawl/protocol/schemas';
import { describe, expect, it } from 'vitest';

const here = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const wire: Record<'events' | 'transient' | 'commands', { type: string; data: object }[]> = here('wire-v1.json');

describe('the wire', () => {
  it('is version 1, and what was said in it once is understood for ever, unchanged', () => {
    expect(protocolVersion).toBe(1);
    const by = { kind: 'human', id: 'a', command: 'c', digest: 'd' };
    for (const [index, body] of wire.events.entries()) {
      const event = { seq: index + 1, at: 1, session: 's', ...body, by };
      expect(eventSchema.parse(event)).toEqual(event);
      expect(upgradeEvent(event)).toMatchObject({ type: body.type });
    }
    for (const body of wire.transient) {
      const event = { after: 0, n: 1, session: 's', ...body };
      expect(transientSchema.parse(event)).toEqual(event);
    }
    for (const body of wire.commands) {
      const command = { id: 'c', session: 's', by: { kind: 'agent', id: 'a' }, ...body };
      expect(commandSchema.parse(command)).toEqual(command);
    }
  });

  it('has an example of every event and command in the pinned file', () => {
    const types = (bodies: { type: string }[]) => new Set(bodies.map((body) => body.type));
    expect(types(wire.events)).toEqual(new Set(Object.keys(eventData)));
    expect(types(wire.transient)).toEqual(new Set(Object.keys(transientData)));
    expect(types(wire.commands)).toEqual(new Set(Object.keys(commandData)));
  });

  it('is published as the JSON Schema that follows from the schemas (npm run schema)', () => {
    expect(here('../schema.json')).toEqual(JSON.parse(JSON.stringify(protocolJsonSchema())));
  });

  it('gives every event type a version', () => {
    expect(new Set(Object.keys(eventVersions))).toEqual(new Set(Object.keys(eventData)));
  });

  it('refuses what is not in it, saying where', () => {
    const command = {
      id: 'c',
      session: 's',
      by: { kind: 'human', id: 'a' },
      type: 'turn.cancel',
      data: { queue: 'later' },
    };
    const { error } = commandSchema.safeParse(command);
    expect(error?.issues[0]?.path).toEqual(['data', 'queue']);
    expect(commandSchema.safeParse({ ...command, type: 'turn.destroy' }).success).toBe(false);
  });
});

describe('an event of a newer Pawl', () => {
  const refused = (type: string, version: number) => {
    try {
      upgradeEvent({ seq: 7, type, version, data: {} });
    } catch (error) {
      return error;
    }
    return null;
  };
  it('is refused with a line that says what to do, whether its type or its version is unknown', () => {
    for (const error of [refused('turn.ended', 2), refused('turn.danced' as EventType, 1)]) {
      expect(isPawlError(error, 'log_too_new')).toBe(true);
      expect(error).toMatchObject({ message: expect.stringContaining('Update Pawl') });
    }
  });
});

describe('errors', () => {
  it('are recognised across two copies of the package, by their mark and code', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('pawl.error')]: true, code: 'conflict' });
    expect(isPawlError(foreign, 'conflict')).toBe(true);
    expect(isPawlError(new PawlError('a', 'b'), 'conflict')).toBe(false);
    expect([isPawlError(new Error('x')), isPawlError(null), isPawlError('x')]).toEqual([false, false, false]);
  });
});
