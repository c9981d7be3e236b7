import type { Command, Identity } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';

/** A command as it was written on a line, checked; who writes it is known already. @throws `bad_command`. */
export async function readCommand(line: object, by: Identity): Promise<Command> {
  // The schemas take a while to load, and who only looks needs none.
  const { commandSchema } = await import('@pawl/protocol/schemas');
  const read = commandSchema.safeParse({ ...line, by });
  if (read.success) return read.data as Command;
  const [issue] = read.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` ${issue.path.map(String).join('.')}:`;
  const type = 'type' in line ? String(line.type) : '';
  throw new PawlError('bad_command', `This is no ${type} command.${place} ${issue?.message ?? ''}`.trim());
}
