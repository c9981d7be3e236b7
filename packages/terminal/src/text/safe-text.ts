import { visible } from '@pawl/engine/readers/visible';

/**
 * Text that comes in pieces, made safe for a terminal. A character or a line break that is cut between two pieces is
 * held until the rest of it is there.
 */
export function createSafeText(): { push(text: string): string; end(): string } {
  let rest = '';
  return {
    push(text) {
      const whole = rest + text;
      const cut = /[\r\ud800-\udbff]$/.test(whole) ? whole.length - 1 : whole.length;
      rest = whole.slice(cut);
      return visible(whole.slice(0, cut));
    },
    end() {
      const last = visible(rest);
      rest = '';
      return last;
    },
  };
}
