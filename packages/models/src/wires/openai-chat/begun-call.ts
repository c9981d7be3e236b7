/** What may stand around several calls. */
const group = /<[｜|\w:-]*function_calls>|<｜tool▁calls▁begin｜>|<\|tool_calls_section_begin\|>/.source;
/** What stands around one, or several. */
const frame = /<(?:[\w-]+:)?tool_calls?>|<｜tool▁call▁begin｜>|<\|tool_call_begin\|>|\[TOOL_CALLS\]/.source;
/** Where a call that a model writes as text begins. */
const openings = new RegExp(`(?:(?:${group})\\s*)?(?:${frame}|<function=|<(?:｜DSML｜)?invoke name=")`, 'g');
const outside = new RegExp(`^(?:(?:${group})\\s*)?(${frame})?\\s*`);

/** What must stand there for it to be a call, and not a word about calls; with the name of its tool. */
const framed: readonly RegExp[] = [
  /^[[{][\s\S]*?"name"\s*:\s*"([^"]+)"/,
  /^([\w.:-]+)\s*(?:<arg_key>|\[ARGS\])/,
  /^(?:function<｜tool▁sep｜>)?([\w.:-]+)(?:<｜tool▁sep｜>|\s)/,
  /^(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>/,
];
const plain: readonly RegExp[] = [
  /^<function=([\w.:-]+)>\s*(?:$|[<{])/,
  /^<(?:｜DSML｜)?invoke name="([^"]+)">\s*(?:$|<)/,
];

/** A call that was begun at `start`, and not ended. */
export type BegunCall = { start: number; tool: string };

/**
 * The first call in `text` that lacks its end.
 * @param isKnown Whether what stands at this position is a whole call, or no call at all.
 */
export function begunCall(
  text: string,
  offered: ReadonlySet<string>,
  isKnown: (position: number) => boolean,
): BegunCall | null {
  for (const { 0: opening, index: start } of text.matchAll(openings)) {
    const rest = text.slice(start);
    // One that a value quotes may have its end, and this one not.
    if (isKnown(start) || rest.split(closingOf(opening)).length > times(opening, rest)) continue;
    const [around = '', inFrame] = outside.exec(rest) ?? [];
    const inside = rest.slice(around.length);
    const forms = inFrame === undefined ? plain : [...plain, ...framed];
    const tool = forms.map((form) => form.exec(inside)?.[1]).find((name) => name !== undefined);
    if (tool !== undefined && offered.has(tool)) return { start, tool };
  }
  return null;
}

function times(opening: string, text: string): number {
  return opening.endsWith('<function=') ? text.split('<function=').length - 1 : 1;
}

function closingOf(opening: string): RegExp {
  if (opening.endsWith('<function=')) return /<\/function>/;
  if (opening.endsWith('invoke name="')) return /<\/(?:｜DSML｜)?invoke>/;
  if (opening.endsWith('<｜tool▁call▁begin｜>')) return /<｜tool▁call▁end｜>/;
  if (opening.endsWith('<|tool_call_begin|>')) return /<\|tool_call_end\|>/;
  // Only its JSON tells where it ends.
  if (opening.endsWith(']')) return /(?!)/;
  return /<\/(?:[\w-]+:)?tool_calls?>/;
}
