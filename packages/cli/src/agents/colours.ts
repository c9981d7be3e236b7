/** Names of colours that every terminal has. */
export const colours = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white', 'grey'] as const;
