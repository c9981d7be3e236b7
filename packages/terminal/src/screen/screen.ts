/** The terminal as the screen of the conversation: frozen rows above, live ones below. */

import type { Drawn } from '../panels/panel.ts';
import { ProcessTerminal, type Terminal, TuiMainScreen, visibleWidth } from '../pi-tui.ts';
import { type Frame, nothingPainted, type Painted, paint, unpaint } from './paint.ts';

export type Size = { columns: number; rows: number };

/**
 * Schedules frames and keys as pi-tui does, and draws them its own way: pi-tui's screen keeps all rows and, where one
 * above the fold changes or the width does, clears the scrollback and writes them all again.
 */
export class Screen extends TuiMainScreen {
  readonly #frame: (size: Size) => Frame;
  #painted: Painted;
  #whole: ((size: Size) => Drawn) | null = null;

  constructor(frame: (size: Size) => Frame, terminal: Terminal = new ProcessTerminal()) {
    super(terminal);
    this.#frame = frame;
    this.#painted = nothingPainted(terminal.columns);
  }

  /** Fills the terminal's other screen until it is null again; what is on the normal one stays as it is. */
  showWhole(draw: ((size: Size) => Drawn) | null): void {
    if (draw !== null && this.#whole === null) this.terminal.write('\u001b[?1049h\u001b[?25l');
    if (draw === null && this.#whole !== null) this.terminal.write('\u001b[?1049l');
    this.#whole = draw;
    this.renderNow();
  }

  protected override doRender(): void {
    const { columns, rows } = this.terminal;
    if (this.#whole !== null) {
      const { rows: shown, cursor } = this.#whole({ columns, rows });
      const place = cursor === null ? '\u001b[?25l' : `\u001b[${cursor.row + 1};${cursor.column + 1}H\u001b[?25h`;
      const lines = shown.map((row, index) => `\u001b[${index + 1};1H${row}\u001b[0m${eraseRest(row, columns)}`);
      this.terminal.write(`\u001b[?2026h${lines.join('')}${place}\u001b[?2026l`);
      return;
    }
    this.#write(paint(this.#painted, this.#frame({ columns, rows }), { columns, rows }));
  }

  protected override beforeTerminalStop(): void {
    if (this.#whole !== null) this.terminal.write('\u001b[?1049l');
    this.#whole = null;
    const { columns, rows } = this.terminal;
    this.#write(unpaint(this.#painted, { columns, rows }));
  }

  protected override resetRenderState(): void {
    this.#painted = nothingPainted(this.terminal.columns);
  }

  #write({ output, painted }: { output: string; painted: Painted }): void {
    this.#painted = painted;
    if (output !== '') this.terminal.write(output);
  }
}

/** A row that fills the terminal leaves nothing to erase, and the cursor on its last column. */
const eraseRest = (row: string, columns: number) => (visibleWidth(row) < columns ? '\u001b[K' : '');
