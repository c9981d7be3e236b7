/** The terminal: a conversation with an agent, in the normal screen. One more client: it talks to a `Client`, and to what its `Home` offers. */
export { type Left, openTerminal, type TerminalOptions } from './app/terminal.ts';
export type { Entry, Home, Ran, Taken } from './home.ts';
