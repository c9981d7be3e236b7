/** Where the person writes: pi-tui's editor, without its frame, with the terminal's own cursor. */
import { stripVTControlCharacters } from 'node:util';
import {
  type AutocompleteProvider,
  CURSOR_MARKER,
  Editor,
  type SelectListTheme,
  type TUI,
  visibleWidth,
} from '../pi-tui.ts';
import type { Style } from '../text/style.ts';

type Composed = { rows: string[]; cursor: { row: number; column: number } };

export type Composer = {
  /** Rows with a mark before the first, and where the cursor is in them. */
  draw(columns: number): Composed;
  press(key: string): void;
  /** With pasted texts in full. */
  text(): string;
  set(text: string): void;
  insert(text: string): void;
  remember(text: string): void;
  isCompleting(): boolean;
};

export type ComposerOptions = {
  screen: TUI;
  style: Style;
  completion: AutocompleteProvider;
  onSubmit(text: string): void;
  onChange(): void;
};

const fakeCursor = '\u001b[7m';
const reset = '\u001b[0m';

export function createComposer({ screen, style, completion, onSubmit, onChange }: ComposerOptions): Composer {
  const editor = new Editor(
    screen,
    { borderColor: style.dim, selectList: listTheme(style) },
    { autocompleteMaxVisible: 8 },
  );
  editor.focused = true;
  editor.setAutocompleteProvider(completion);
  editor.onSubmit = onSubmit;
  editor.onChange = onChange;
  return {
    draw: (columns) => drawn(editor.render(Math.max(4, columns - 2)), style),
    press: (key) => editor.handleInput(key),
    text: () => editor.getExpandedText(),
    set: (text) => editor.setText(text),
    insert: (text) => editor.insertTextAtCursor(text),
    remember: (text) => editor.addToHistory(text),
    isCompleting: () => editor.isShowingAutocomplete(),
  };
}

const listTheme = (style: Style): SelectListTheme => ({
  selectedPrefix: style.cyan,
  selectedText: style.cyan,
  description: style.dim,
  scrollInfo: style.dim,
  noMatch: style.dim,
});

/** The editor's rows without its borders, but for how much is out of sight, and with its painted cursor taken away. */
function drawn(lines: readonly string[], style: Style): Composed {
  const isBorder = (line: string) => stripVTControlCharacters(line).startsWith('─');
  const kept = lines.filter((line) => !isBorder(line) || /[↑↓]/.test(line));
  let cursor = { row: 0, column: 2 };
  const rows = kept.map((line, row) => {
    const at = line.indexOf(fakeCursor);
    const mark = row === 0 ? style.cyan('› ') : '  ';
    if (at < 0) return (mark + line.replaceAll(CURSOR_MARKER, '')).trimEnd();
    const head = line.slice(0, at).replaceAll(CURSOR_MARKER, '');
    cursor = { row, column: 2 + visibleWidth(head) };
    const rest = line.slice(at + fakeCursor.length).replace(reset, '');
    return `${mark}${head}${rest}`.trimEnd();
  });
  return { rows, cursor };
}
