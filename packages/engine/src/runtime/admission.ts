import type { Command, FilePart } from '@pawl/protocol';
import type { State } from '../core/index.ts';
import { type Attachments, filesIn } from './attachments.ts';

/** Checks the files of inputs before the inputs are accepted, and keeps inputs in their order. A cancel may overtake them. */
export class Admission {
  readonly #attachments: Attachments;
  readonly #state: Readonly<State>;
  /** What the next command waits for; null when it need not. */
  #last: Promise<unknown> | null = null;

  constructor(attachments: Attachments, state: Readonly<State>) {
    this.#attachments = attachments;
    this.#state = state;
  }

  /** Calls `take` when it is this command's turn. @throws `no_file`, `bad_file`, `too_many_files`… for its files. */
  pass<Decided>(command: Command, take: () => Promise<Decided>): Promise<Decided> {
    // A command that was accepted before gets the same answer, without a check.
    if (!ordered.has(command.type)) return take();
    const files = this.#state.commands.has(command.id) ? [] : filesOf(command);
    const before = this.#last;
    if (before === null && files.length === 0) return take();
    const taken = (async () => {
      await before;
      if (files.length > 0) await this.#attachments.checkInput(files, this.#state);
      return take();
    })();
    const done = taken
      .catch(() => undefined)
      .finally(() => {
        if (this.#last === done) this.#last = null;
      });
    this.#last = done;
    return taken;
  }
}

/** Commands whose order among each other counts. */
const ordered: ReadonlySet<Command['type']> = new Set([
  'input.send',
  'input.edit',
  'input.remove',
  'context.add',
  'files.report',
  'turn.continue',
]);

function filesOf(command: Command): FilePart[] {
  const { type, data } = command;
  if (type !== 'input.send' && type !== 'input.edit' && type !== 'context.add') return [];
  // Content that is no list is refused by the core.
  return Array.isArray(data.content) ? filesIn(data.content) : [];
}
