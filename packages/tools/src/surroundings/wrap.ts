import { escapeName, stripTerminal } from '../escape.ts';

/** Characters that a person does not see and a model reads all the same. The joiners stay: scripts and emoji need them. */
const hidden = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\ufeff\u00ad]/gu;
const tagLike = /<([\s\u200c\u200d]*\/?[\s\u200c\u200d]*untrusted)/gi;

/** Text of somebody else's between tags that it cannot forge, without what acts on a terminal or hides from a person. */
export function wrap(kind: 'instructions' | 'memory', text: string, source?: string): string {
  // What hides goes first, or taking it out could make a tag.
  const plain = stripTerminal(text).replace(hidden, '').replace(tagLike, '&lt;$1').trim();
  const from = source === undefined ? '' : ` source="${escapeName(source).replace(/["<>]/g, encodeURIComponent)}"`;
  return `<untrusted-${kind}${from}>\n${plain}\n</untrusted-${kind}>`;
}
