/** One call that needs the person's word: what, why, and how to answer. */

import { exact, oneLine } from '@pawl/engine/readers/visible';
import type { JsonObject, PendingApproval } from '@pawl/protocol';
import { messageOf } from '@pawl/protocol';
import type { Composer } from '../composer/composer.ts';
import { isKeyRelease, parseKey } from '../pi-tui.ts';
import { questionLines } from '../text/approval.ts';
import { leftText } from '../text/left.ts';
import type { Style } from '../text/style.ts';
import { wrapStyled } from '../text/wrap-styled.ts';
import { type KeyHint, keysLines } from './keys-line.ts';
import { type Drawn, type Panel, windowed } from './panel.ts';

/** For how long a rule is to hold. */
export type Scope = 'session' | 'project' | 'user';

export type ApprovalReply =
  | { kind: 'allow'; input?: JsonObject; added?: { rule: string; scope: Scope } }
  /** `stops`: the turn is cancelled as well. */
  | { kind: 'deny'; reason: string | null; stops: boolean };

export type ApprovalPanelOptions = {
  approval: PendingApproval;
  /** The task that asks, or null. */
  task: string | null;
  /** `1 of 3`, where several wait. */
  place: string;
  style: Style;
  /** A line to write in: reasons, arguments. */
  openLine(onSubmit: (text: string) => void): Composer;
  limitOf(rule: string): string | null;
  now(): number;
  reply(reply: ApprovalReply): void;
  changed(): void;
};

type State =
  | { kind: 'choose' }
  | { kind: 'rule'; scope: Scope }
  | { kind: 'reason'; line: Composer }
  | { kind: 'arguments'; line: Composer; problem: string | null };

const scopeWords: Record<Scope, string> = {
  session: 'For the rest of this session, allow:',
  project: 'Always in this project, allow:',
  user: 'Always and everywhere, allow:',
};
const scopeKeys: Readonly<Record<string, Scope>> = { s: 'session', p: 'project', u: 'user' };

export function createApprovalPanel(options: ApprovalPanelOptions): Panel {
  const { approval, task, place, style, reply, changed } = options;
  let state: State = { kind: 'choose' };
  let from = 0;
  let draft = JSON.stringify(approval.input, null, 2);
  const rules = approval.suggestions.slice(0, 9);

  const head = (): string[] => {
    const who = task === null ? [] : [style.dim(`Task ${oneLine(task)}:`)];
    const count = place === '' ? [] : [style.dim(place)];
    return [...count, ...who, ...questionLines(approval, style)];
  };

  const tail = (columns: number): Drawn => {
    switch (state.kind) {
      case 'choose': {
        const left = leftText(approval.expiresAt, options.now());
        const time = left === '' ? [] : [style.dim(`${left} left`)];
        return { rows: [...keysLines(choices(rules.length > 0), columns, style), ...time], cursor: null };
      }
      case 'rule': {
        const offered = rules.flatMap((rule, index) => {
          const limit = options.limitOf(rule);
          const shown = `  ${style.bold(String(index + 1))} ${exact(rule, style.inverse)}`;
          return limit === null ? [shown] : [shown, `    ${style.dim(limit)}`];
        });
        const keys = keysLines(
          [
            ['1', rules.length > 1 ? `to ${rules.length}: which` : 'this'],
            ['Esc', 'back'],
          ],
          columns,
          style,
        );
        return {
          rows: [scopeWords[state.scope], ...offered.flatMap((row) => wrapStyled(row, columns)), ...keys],
          cursor: null,
        };
      }
      case 'reason':
        return written(
          state.line,
          'Why not? It is told to the model; Enter for no reason, Esc goes back',
          columns,
          style,
        );
      case 'arguments':
        return written(
          state.line,
          state.problem ?? 'The arguments, as JSON; Enter judges them anew, Esc goes back',
          columns,
          style,
        );
      default:
        return state satisfies never;
    }
  };

  const deny = (stops: boolean) => {
    if (stops) {
      reply({ kind: 'deny', reason: null, stops: true });
      return;
    }
    const line = options.openLine((text) =>
      reply({ kind: 'deny', reason: text.trim() === '' ? null : text.trim(), stops: false }),
    );
    state = { kind: 'reason', line };
  };

  const edit = () => {
    const line = options.openLine((text) => {
      draft = text;
      const read = readArguments(text);
      if ('input' in read) reply({ kind: 'allow', input: read.input });
      else {
        edit();
        if (state.kind === 'arguments') state.problem = read.problem;
      }
    });
    line.set(draft);
    state = { kind: 'arguments', line, problem: null };
  };

  const choose = (key: string, columnsPage: number) => {
    if (key === 'y') reply({ kind: 'allow' });
    else if (key === 'n') deny(false);
    else if (key === 'x') deny(true);
    else if (key === 'e') edit();
    else if (key === 'down' || key === 'j') from += 1;
    else if (key === 'up' || key === 'k') from -= 1;
    else if (key === 'pageDown' || key === 'space' || key === 'd') from += columnsPage;
    else if (key === 'pageUp') from -= columnsPage;
    const scope = scopeKeys[key];
    if (scope !== undefined && rules.length > 0) state = { kind: 'rule', scope };
  };

  return {
    draw({ columns, rows, isReady }) {
      const below = isReady ? tail(columns) : { rows: [style.dim('…')], cursor: null };
      const room = Math.max(3, rows - below.rows.length);
      const body = head().flatMap((row) => wrapStyled(row, columns));
      const shown = windowed(body, {
        from,
        room,
        more: (left) => style.yellow(`… ${left} more lines; ↓ and d show them`),
      });
      from = shown.from;
      const cursor =
        below.cursor === null ? null : { row: below.cursor.row + shown.rows.length, column: below.cursor.column };
      return { rows: [...shown.rows, ...below.rows], cursor };
    },
    press(data) {
      if (isKeyRelease(data)) return;
      const key = parseKey(data) ?? data;
      if (state.kind === 'choose') choose(key, 10);
      else if (key === 'escape') state = { kind: 'choose' };
      else if (state.kind === 'rule') {
        const rule = rules[Number(key) - 1];
        if (rule !== undefined) reply({ kind: 'allow', added: { rule, scope: state.scope } });
      } else state.line.press(data);
      changed();
    },
  };
}

function choices(hasRules: boolean): KeyHint[] {
  const scopes: KeyHint[] = [
    ['s', 'session'],
    ['p', 'project'],
    ['u', 'always'],
  ];
  return [['y', 'once'], ...(hasRules ? scopes : []), ['e', 'edit'], ['n', 'refuse'], ['x', 'refuse and stop']];
}

function written(line: Composer, words: string, columns: number, style: Style): Drawn {
  const { rows, cursor } = line.draw(columns);
  const above = wrapStyled(style.dim(oneLine(words)), columns);
  return { rows: [...above, ...rows], cursor: { row: cursor.row + above.length, column: cursor.column } };
}

/** The arguments of a call, as a person wrote them. */
function readArguments(text: string): { input: JsonObject } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { input: value as JsonObject };
    return { problem: 'The arguments must be a JSON object.' };
  } catch (error) {
    return { problem: `That is no JSON: ${messageOf(error)}` };
  }
}
