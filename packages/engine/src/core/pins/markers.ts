/**
 * Words that mark an input as a standing instruction: one that says how to work beyond the current task.
 * Matching too much does little harm: a match is only kept verbatim.
 */
export const standingMarkers: readonly RegExp[] = [
  /\b(?:never|always)\b/i,
  /\b(?:do not|don['’]t|must not|mustn['’]t|should not|shouldn['’]t|cannot|can['’]t use)\b/i,
  /\b(?:from now on|going forward|in future|in the future|every time|whenever)\b/i,
  /\b(?:make sure|be sure|remember|keep in mind|note that|important)\b/i,
  /\b(?:must|only use|use only|instead of|rather than|prefer|avoid|without touching|leave .{1,40} alone)\b/i,
  /(?:^|[.!?]\s+)(?:no|stop|wait|wrong|not like that|that['’]s wrong|actually)\b/i,
  /(?<!\p{L})(?:nie|niemals|immer|ab jetzt|auf keinen Fall|nicht mehr|bitte nicht|sondern)(?!\p{L})/iu,
  /(?<!\p{L})(?:jamais|toujours|désormais|ne .{1,40} pas|à partir de maintenant)(?!\p{L})/iu,
  /(?<!\p{L})(?:nunca|siempre|a partir de ahora|en lugar de|jamás)(?!\p{L})/iu,
  /(?:不要|别再|永远|总是|绝不|必须|しないで|必ず|決して)/u,
];
