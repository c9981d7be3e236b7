/** Colour, where it is wanted. SettingsFile out here, because `node:util` takes as long to load as all of the output. */

/** Escape codes that begin and end each format (ECMA-48, 8.3.117). */
const formats = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  inverse: [7, 27],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = { isColoured: boolean } & { [Name in keyof typeof formats]: (text: string) => string };

/**
 * Whether to write colour: `FORCE_COLOR` (but 0 or false) says yes, a `NO_COLOR` that is not empty says no
 * (https://no-color.org), and so does `TERM=dumb`; else a terminal gets it and a file does not.
 */
export function wantsColour(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv = process.env): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = environment;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return !NO_COLOR && TERM !== 'dumb' && stream.isTTY === true;
}

export function createStyle(isColoured: boolean): Style {
  const paint = (name: keyof typeof formats) => {
    const [begin, end] = formats[name];
    return (text: string) => (isColoured ? `\u001b[${begin}m${text}\u001b[${end}m` : text);
  };
  return {
    isColoured,
    bold: paint('bold'),
    dim: paint('dim'),
    italic: paint('italic'),
    inverse: paint('inverse'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  };
}
