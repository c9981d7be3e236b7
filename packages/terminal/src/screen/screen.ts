/** The terminal as the screen of the conversation: frozen rows above, live ones below. */
import { CURSOR_MARKER, ProcessTerminal, type Terminal, TuiMainScreen } from '@earendil-works/pi-tui';
import { type Frame, nothingPainted, type Painted, paint, unpaint } from './paint.ts';

export type Size = { columns: number; rows: number };

/**
 * Schedules frames and keys as pi-tui does, and draws them its own way: pi-tui's screen keeps all rows and, where one
 * above the fold changes or the width does, clears the scrollback and writes them all again.
 */
export class Screen extends TuiMainScreen {
  readonly #frame: (size: Size) => Frame;
  #painted: Painted;

  constructor(frame: (size: Size) => Frame, terminal: Terminal = new ProcessTerminal()) {
    super(terminal);
    this.#frame = frame;
    this.#painted = nothingPainted(terminal.columns);
  }

  protected override doRender(): void {
    const { columns, rows } = this.terminal;
    this.#write(paint(this.#painted, this.#frame({ columns, rows }), { columns, rows }));
  }

  protected override beforeTerminalStop(): void {
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

export { CURSOR_MARKER };
