/**
 * What is used of pi-tui, each from its own file: its index loads a Markdown parser, LaTeX and a second screen as well,
 * and takes twice as long.
 */
export type { AutocompleteProvider } from '@earendil-works/pi-tui/dist/autocomplete.js';
export { Editor } from '@earendil-works/pi-tui/dist/components/editor.js';
export type { SelectListTheme } from '@earendil-works/pi-tui/dist/components/select-list.js';
export { fuzzyFilter } from '@earendil-works/pi-tui/dist/fuzzy.js';
export { isKeyRelease, parseKey } from '@earendil-works/pi-tui/dist/keys.js';
export { ProcessTerminal, type Terminal } from '@earendil-works/pi-tui/dist/terminal.js';
export { CURSOR_MARKER, type TUI } from '@earendil-works/pi-tui/dist/tui.js';
export { TuiMainScreen } from '@earendil-works/pi-tui/dist/tui-main-screen.js';
export { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui/dist/utils.js';
