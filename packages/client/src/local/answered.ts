import { createConnection, type Socket } from 'node:net';

/** A connection to a socket, or null if nobody listens there. */
export function openSocket(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('error', () => resolve(null));
    socket.once('connect', () => resolve(socket));
  });
}

/** Whether somebody listens. */
export async function isAnswered(path: string): Promise<boolean> {
  const socket = await openSocket(path);
  socket?.destroy();
  return socket !== null;
}
