/** Lets other terminals of this user reach the sessions of a run. */
import { listenLocally } from '@pawl/client/local';
import type { Host, Storage } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import { dataFolder } from '../home.ts';

export type Shared = { close(): Promise<void> };

/** `session` is driven here; so may be those of its tasks. @throws where no socket can be had, with the reason. */
export async function share(host: Host, log: Storage, session: string): Promise<Shared> {
  const holder = (await log.owner?.(session))?.name;
  if (holder === undefined) return { close: () => Promise.resolve() };
  return listenLocally({
    dataFolder: dataFolder(),
    holder,
    clientOf: (identity) => host.client(identity),
    async mayOpen(asked) {
      if ((await log.owner?.(asked))?.name === holder) return;
      throw new PawlError('not_driven', `Session ${asked} is not driven by this process.`);
    },
    mayCreate() {
      throw new PawlError('not_here', 'A run begins no sessions for others. Begin one with: pawl run "what to do"');
    },
  });
}
