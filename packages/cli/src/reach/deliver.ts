/** Hands a command to a session, whoever drives it, or nobody. */
import { setTimeout as pause } from 'node:timers/promises';
import { actingFor } from '@pawl/client/local';
import { createId, type Storage, writeCommand } from '@pawl/engine';
import type { Command, CommandData, CommandType, Receipt } from '@pawl/protocol';
import { isPawlError } from '@pawl/protocol';
import { isGone, ownerOf } from './owner.ts';

export type CommandRequest = {
  [Type in CommandType]: { session: string; type: Type; data: CommandData[Type] };
}[CommandType];
export type DeliveryReceipt = Receipt & { isDriven: boolean };

/** How often a session may change hands meanwhile. */
const maxTries = 100;

/**
 * Through the process that drives the session, else through its log. Its id is one and the same all along, so that what
 * was accepted by a process that died before it said so is not done twice.
 * @throws the refusal.
 */
export async function deliver(log: Storage, errand: CommandRequest, id: string = createId()): Promise<DeliveryReceipt> {
  for (let tries = 1; tries < maxTries; tries++) {
    const delivered = (await throughDriver(log, errand, id)) ?? (await throughLog(log, errand, id));
    if (delivered !== null) return delivered;
    await pause(20);
  }
  return { ...(await writeCommand(log, commandOf(errand, id))), isDriven: false };
}

/** Null where nobody drives it, or no longer. */
async function throughDriver(
  log: Storage,
  { session, type, data }: CommandRequest,
  id: string,
): Promise<DeliveryReceipt | null> {
  const owner = await ownerOf(log, session);
  if (owner === null) return null;
  try {
    const client = await owner.open(session);
    return { ...(await client.command(type, data, id)), isDriven: true };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  } finally {
    owner.close();
  }
}

/** Null where somebody drives it by now. */
async function throughLog(log: Storage, errand: CommandRequest, id: string): Promise<DeliveryReceipt | null> {
  try {
    return { ...(await writeCommand(log, commandOf(errand, id))), isDriven: false };
  } catch (error) {
    if (isPawlError(error, 'session_locked') || isPawlError(error, 'conflict')) return null;
    throw error;
  }
}

const commandOf = (errand: CommandRequest, id: string) => ({ id, by: actingFor(), ...errand }) as Command;
