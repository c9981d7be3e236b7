/** The effects that may be owed to the outside world. */

export type Effect =
  /** Call the model; or stop that call and report the answer so far. */
  | { kind: 'model'; id: string; mode: 'run' | 'stop' }
  /** Gather the surroundings of the work (prompt, instructions, changed files) for this turn and agent. */
  | { kind: 'gather'; id: string }
  /** May this call run, and what would it do? */
  | { kind: 'judge'; id: string; call: string }
  /** Run the call, whose intent is in the log; or find out what happened to it, if the process that ran it is gone; or stop it. */
  | { kind: 'tool'; id: string; call: string; mode: 'run' | 'recover' | 'stop' }
  /** Run the person's check of a turn that works toward a target. */
  | { kind: 'verify'; id: string }
  /** Hand a mail to the session that it is for. */
  | { kind: 'deliver'; id: string; mail: string }
  /** Summarise the history, up to the message that the compaction names. */
  | { kind: 'compact'; id: string; compaction: number }
  /** Create and drive a task's session and report how it ended; or stop it and report how far it came. */
  | { kind: 'task'; id: string; task: string; mode: 'run' | 'stop' }
  /** Forward a command to a task's session. */
  | { kind: 'forward'; id: string; task: string; command: string }
  /** Fire at this time, Unix ms. */
  | { kind: 'timer'; id: string; at: number };
