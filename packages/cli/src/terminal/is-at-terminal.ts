/** Whether a conversation can be had: a person's keys come in, a screen is there, and it can be drawn on. */
export const isAtTerminal = (): boolean =>
  process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== 'dumb';
