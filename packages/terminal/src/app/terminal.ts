/** The conversation at a terminal, from the first frame to the last. */
import { basename } from 'node:path';
import type { Client, SessionClient, UserPart } from '@pawl/protocol';
import { isPawlError, messageOf, permissionModes } from '@pawl/protocol';
import { commandList, runCommand } from '../commands/commands.ts';
import { createCompletion } from '../composer/completion.ts';
import { createComposer } from '../composer/composer.ts';
import { addToHistory, readDraft, readHistory, writeDraft } from '../composer/history.ts';
import type { Home } from '../home.ts';
import { createPrinter } from '../lines/printer.ts';
import { activityLines, queueLines, statusLine, taskLines } from '../lines/status.ts';
import { addItem, say, withoutFirst } from '../model/change.ts';
import { fold, foldAsked, foldTaskEvent } from '../model/fold.ts';
import { emptyModel, type Model } from '../model/model.ts';
import type { Drawn, Panel } from '../panels/panel.ts';
import type { Choice } from '../panels/picker.ts';
import { isKeyRelease, parseKey } from '../pi-tui.ts';
import type { Frame } from '../screen/paint.ts';
import { Screen, type Size } from '../screen/screen.ts';
import { createStyle, wantsColour } from '../text/style.ts';
import { createAsking } from './asking.ts';
import { follow } from './follow.ts';
import { openGuard } from './guard.ts';
import { foldHistory, wholeHistory } from './history.ts';
import { suspend, watchSignals } from './signals.ts';

export type TerminalOptions = {
  /** The folder that is worked in. */
  cwd: string;
  /** Where the history of what was written, and drafts, are kept. */
  stateFolder: string;
  /** Opens all else, once the first frame stands. `notice` is for what the person should know. @throws what ends the program. */
  prepare(notice: (line: string) => void): Promise<Home>;
};

/** How the person left. */
export type Left = { session: string | null; signal: NodeJS.Signals | null };

/** Until the person leaves. @throws what `prepare` throws, with the terminal as it was. */
export async function openTerminal(options: TerminalOptions): Promise<Left> {
  const app = createApp(options);
  return app.run();
}

/** A key that answers must be pressed after the question could be read, milliseconds. */
const readingMs = 300;
const draftMs = 200;

function createApp({ cwd, stateFolder, prepare }: TerminalOptions) {
  const style = createStyle(wantsColour(process.stdout));
  const printer = createPrinter();
  const left = Promise.withResolvers<Left>();
  let model: Model = emptyModel;
  let home: Home | null = null;
  let client: Client | null = null;
  let session: SessionClient | null = null;
  let isGuest = false;
  let following = new AbortController();
  let branch: string | null = null;
  let hint: string | null = null;
  let picker: Panel | null = null;
  let reader: Panel | null = null;
  let shown: { panel: Panel; at: number } | null = null;
  let ticking: NodeJS.Timeout | null = null;
  let draftTimer: NodeJS.Timeout | null = null;
  let isLeaving = false;
  /** What was sent before there was anything to send it to. */
  const early: string[] = [];

  const now = () => Date.now();
  const screen = new Screen((size) => frame(size));
  const redraw = () => screen.requestRender();
  const change = (next: Model) => {
    model = next;
    tick();
    redraw();
  };
  const notice = (text: string, tone: 'plain' | 'quiet' | 'warning' | 'error' = 'quiet') =>
    change(say(model, text, tone));
  const complain = (error: unknown) => notice(messageOf(error), 'error');
  /** Whatever fails is told, and the terminal goes on. */
  const attempt = (act: () => Promise<unknown>) => {
    act().catch(complain);
  };

  const composer = createComposer({
    screen,
    style,
    completion: createCompletion(commandList, async () => (await home?.files()) ?? []),
    onSubmit: (text) => submit(text),
    onChange: () => {
      hint = null;
      draftTimer ??= setTimeout(keepDraft, draftMs);
    },
  });
  const openLine = (onSubmit: (text: string) => void) => {
    const completion = createCompletion(
      () => [],
      async () => [],
    );
    return createComposer({ screen, style, completion, onSubmit, onChange: () => undefined });
  };
  const draftKey = () => session?.id ?? cwd;
  const keepDraft = () => {
    if (draftTimer !== null) clearTimeout(draftTimer);
    draftTimer = null;
    writeDraft(stateFolder, draftKey(), composer.text());
  };

  const asking = createAsking({
    client: () => need(client),
    home: () => need(home),
    identity: () => need(client).identity,
    style,
    openLine,
    now,
    answered: ({ session: asker, ...asked }) => {
      const call = asked.kind === 'approval' ? asked.approval.call : asked.questions.call;
      const isIt = (each: Model['asked'][number]) =>
        each.session === asker && (each.kind === 'approval' ? each.approval.call : each.questions.call) === call;
      change({ ...model, asked: model.asked.filter((each) => !isIt(each)) });
    },
    complain: (problem) => notice(problem, 'error'),
    changed: redraw,
  });

  /** What has the keys: a list that was opened, or what waits for an answer, unless the person is in the middle of writing. */
  const panel = (): Panel | null => {
    if (picker !== null) return picker;
    const waiting = home === null ? null : asking.panel(model.asked);
    if (waiting === null) shown = null;
    else if (shown?.panel !== waiting) {
      const isWriting = composer.text() !== '';
      shown = { panel: waiting, at: isWriting ? Number.POSITIVE_INFINITY : now() };
      if (!isWriting) setTimeout(redraw, readingMs);
    }
    return waiting;
  };

  const isReady = () => picker !== null || now() - (shown?.at ?? 0) >= readingMs;

  const frame = (size: Size): Frame => {
    const { columns, rows } = size;
    const place = { columns, now: now(), style };
    const look = { ...place, isUnfolded: false };
    const printed = printer.print(model.items, look);
    model = withoutFirst(model, printed.done);
    const open = panel();
    const isWaiting = open !== null && picker === null && shown?.at === Number.POSITIVE_INFINITY;
    const written: Drawn = composer.draw(columns);
    const above = [...activityLines(model, place), ...taskLines(model.tasks, place), ...queueLines(model.queue, place)];
    const standing = { folder: basename(cwd), branch, session: session?.id ?? null, hint };
    const below = [statusLine(model, standing, place)];
    const room = Math.max(4, rows - above.length - below.length - 3);
    const drawn =
      open === null
        ? written
        : open.draw({
            columns,
            rows: isWaiting ? Math.max(4, room - written.rows.length - 1) : room,
            isReady: isReady(),
          });
    const body = isWaiting
      ? [...drawn.rows, style.yellow('Tab answers this; what you write stays.'), ...written.rows]
      : drawn.rows;
    const head = [...printed.live, ...(printed.live.length + above.length > 0 ? [''] : []), ...above, ''];
    const base = isWaiting ? head.length + drawn.rows.length + 1 : head.length;
    const spot = isWaiting ? written.cursor : drawn.cursor;
    const live = [...head, ...body, ...below];
    return {
      frozen: printed.frozen,
      live,
      cursor: spot === null ? null : { row: base + spot.row, column: spot.column },
    };
  };

  /** Seconds pass on the screen only while something is going on. */
  const tick = () => {
    const isBusy = model.turn !== null || model.asked.length > 0;
    if (isBusy && ticking === null) ticking = setInterval(redraw, 1000);
    if (!isBusy && ticking !== null) {
      clearInterval(ticking);
      ticking = null;
    }
  };

  const submit = (text: string) => {
    const said = text.trim();
    keepDraft();
    if (said === '') return;
    composer.remember(said);
    addToHistory(stateFolder, said);
    if (home === null) early.push(said);
    else attempt(() => take(said));
  };

  const take = async (said: string): Promise<void> => {
    if (said.startsWith('/')) return runCommand(said, commander);
    if (said.startsWith('!')) return runShell(said);
    await send([{ type: 'text', text: said }], 'steer');
  };

  const runShell = async (said: string): Promise<void> => {
    const isPrivate = said.startsWith('!!');
    const command = said.replace(/^!!?\s*/, '');
    if (command === '') return;
    change(addItem(model, { kind: 'said', id: 'shell', text: `! ${command}`, source: 'input' }));
    const { output, isOk } = await need(home).shell(command, following.signal);
    notice(output.trimEnd() === '' ? '(no output)' : output.trimEnd(), isOk ? 'plain' : 'warning');
    if (isPrivate) return;
    const content: UserPart[] = [{ type: 'text', text: `The user ran: ${command}\n\n${output}` }];
    await (await needSession()).command('context.add', { content });
  };

  /** The session, begun if there is none yet. */
  const needSession = async (): Promise<SessionClient> => {
    if (session !== null) return session;
    const { create, client: own } = need(home);
    const begun = await create();
    watch(own, begun, 0, false);
    return begun;
  };

  const send = async (content: UserPart[], delivery: 'queue' | 'steer' | 'interrupt'): Promise<void> => {
    const to = await needSession();
    if (model.isPaused && !isGuest) await to.command('session.resume', {});
    await to.command('input.send', { content, delivery: model.turn === null ? 'queue' : delivery });
  };

  /** Shows a session from `fromSeq` on. */
  const watch = (of: Client, next: SessionClient, fromSeq: number, guest: boolean) => {
    following.abort();
    following = new AbortController();
    const { signal } = following;
    [client, session, isGuest] = [of, next, guest];
    const { answered } = need(home);
    const to = {
      event: (event: Parameters<typeof fold>[1]) => {
        if (signal.aborted) return;
        const folded = fold(model, event, now());
        change('seq' in event ? foldAsked(folded, event, null) : folded);
        if (event.type === 'message.added' && event.data.message.role === 'assistant') answered();
      },
      taskEvent: (event: Parameters<typeof foldTaskEvent>[1], name: string) => {
        if (!signal.aborted) change(foldAsked(foldTaskEvent(model, event, name), event, name));
      },
      found: ({ session: asker, approvals, questions }: Awaited<ReturnType<SessionClient['view']>>, task: string) => {
        const asked = [
          ...approvals.map((approval) => ({ kind: 'approval' as const, session: asker, task, approval })),
          ...questions.map((each) => ({ kind: 'questions' as const, session: asker, task, questions: each })),
        ];
        change({ ...model, asked: [...model.asked, ...asked] });
      },
      figures: (view: Awaited<ReturnType<SessionClient['view']>>) => {
        if (signal.aborted) return;
        const { agent, model: chosen, mode, context, costUsd, plan } = view;
        change({ ...model, settings: { agent, model: chosen, mode }, context, costUsd, plan });
      },
      ended: (error: unknown) => driverGone(next.id, error),
    };
    attempt(() => follow({ client: of, session: next, fromSeq }, to, signal));
  };

  /** Whoever drove the session does so no more. */
  const driverGone = (id: string, error: unknown) => {
    change({ ...model, turn: null, asked: [], tasks: [] });
    if (error !== null && !isPawlError(error)) complain(error);
    notice(`Nobody drives session ${id} any more. Your next input goes on with it here.`, 'warning');
    session = null;
    need(home).create = async () => (await need(home).take(id)).session;
  };

  /** Goes on with a session in place of the one that is shown. */
  const enter = async (id: string): Promise<void> => {
    const host = need(home);
    keepDraft();
    const events = await host.client.read(id);
    const taken = await host.take(id);
    following.abort();
    model = { ...emptyModel, settings: model.settings, items: model.items };
    model = foldHistory(model, events);
    watch(taken.client, taken.session, events.at(-1)?.seq ?? 0, taken.isGuest);
    composer.set(readDraft(stateFolder, id));
    if (taken.isGuest)
      notice('Another process drives this session; you are watching, and can answer and send.', 'quiet');
    redraw();
  };

  /** A new conversation, with the next input. */
  const leaveSession = () => {
    following.abort();
    following = new AbortController();
    session = null;
    model = { ...emptyModel, settings: model.settings, items: model.items };
    redraw();
  };

  const choose = async (title: string, entries: readonly Choice[], current?: string): Promise<string | null> => {
    const { createPicker } = await import('../panels/picker.ts');
    return new Promise((resolve) => {
      picker = createPicker({
        title,
        choices: entries,
        ...(current !== undefined && { current }),
        style,
        changed: redraw,
        pick: (value) => {
          picker = null;
          resolve(value);
          redraw();
        },
      });
      redraw();
    });
  };

  const commander = {
    home: () => need(home),
    model: () => model,
    session: () => session,
    needSession,
    client: () => client ?? need(home).client,
    configure: async (changes: Parameters<SessionClient['configure']>[0]) => {
      await (await needSession()).configure(changes);
    },
    notice,
    choose,
    enter,
    leaveSession,
    compose: (text: string) => composer.set(text),
    write: (bytes: string) => screen.terminal.write(bytes),
    leave: () => leave(null),
  };

  const leave = (signal: NodeJS.Signals | null) => {
    if (isLeaving) return;
    isLeaving = true;
    keepDraft();
    following.abort();
    if (ticking !== null) clearInterval(ticking);
    left.resolve({ session: session?.id ?? null, signal });
  };

  /** All of the session, to be read. */
  const openReader = async (): Promise<void> => {
    const { createReader } = await import('../panels/reader.ts');
    const events = session === null ? [] : await need(client).read(session.id);
    const { items } = wholeHistory(model, events);
    const close = () => {
      reader = null;
      screen.showWhole(null);
    };
    reader = createReader({ items, style, now, close, changed: redraw });
    screen.showWhole((size) => reader?.draw({ ...size, isReady: true }) ?? { rows: [], cursor: null });
  };

  const nextMode = async (): Promise<void> => {
    const at = permissionModes.indexOf(model.settings?.mode ?? 'manual');
    const mode = permissionModes[(at + 1) % permissionModes.length] ?? 'manual';
    await (await needSession()).configure({ mode });
  };

  /** The newest input that waits comes back to be written anew. */
  const recall = async (): Promise<boolean> => {
    const newest = model.queue.at(-1);
    if (newest === undefined || session === null) return false;
    await session.command('input.remove', { input: newest.input });
    composer.set(composer.text() === '' ? newest.text : `${newest.text}\n${composer.text()}`);
    return true;
  };

  const cancel = async (): Promise<void> => {
    const running = session;
    if (running === null || model.turn === null) return;
    await running.command('turn.cancel', { queue: 'wait' }).catch((error: unknown) => {
      if (!isPawlError(error, 'already_cancelled') && !isPawlError(error, 'no_turn')) throw error;
    });
  };

  /** Keys that mean the same whatever has the focus. True: taken. */
  const globalKey = (key: string, open: Panel | null): boolean => {
    switch (key) {
      case 'ctrl+z':
        suspend(screen);
        return true;
      case 'ctrl+l':
        redraw();
        return true;
      case 'ctrl+c':
        if (picker !== null) return false;
        if (composer.text() !== '') {
          composer.set('');
          keepDraft();
        } else if (model.turn !== null && !model.turn.isStopping) {
          hint = 'Ctrl-C once more leaves; the session goes on with pawl -c';
          attempt(cancel);
        } else if (hint !== null || model.turn === null) leave(null);
        else hint = 'Ctrl-C once more leaves; the session goes on with pawl -c';
        return true;
      case 'ctrl+d':
        if (composer.text() !== '' || open !== null) return false;
        leave(null);
        return true;
      case 'shift+tab':
        if (picker !== null) return false;
        attempt(nextMode);
        return true;
      case 'ctrl+o':
        attempt(openReader);
        return true;
      case 'alt+up':
        attempt(recall);
        return true;
      case 'escape':
        if (picker !== null || composer.isCompleting()) return false;
        if (model.turn === null) return false;
        if (open !== null && shown?.at !== Number.POSITIVE_INFINITY) return false;
        attempt(cancel);
        return true;
      default:
        return false;
    }
  };

  const press = (data: string) => {
    if (isKeyRelease(data)) return;
    if (reader !== null) {
      reader.press(data);
      return;
    }
    const key = parseKey(data) ?? '';
    const open = panel();
    if (globalKey(key, open)) redraw();
    else if (open === null) composer.press(data);
    else if (picker !== null) open.press(data);
    else if (shown?.at === Number.POSITIVE_INFINITY) {
      if (key === 'tab') shown = { panel: open, at: 0 };
      else composer.press(data);
    } else if (isReady()) open.press(data);
  };

  return {
    async run(): Promise<Left> {
      for (const text of readHistory(stateFolder)) composer.remember(text);
      const signals = watchSignals(leave);
      screen.setFocus({ render: () => [], invalidate: () => undefined, handleInput: press });
      screen.start();
      screen.renderNow();
      const guard = openGuard();
      try {
        home = await prepare((line) => notice(line));
        client = home.client;
        model = { ...model, settings: home.settings };
        attempt(async () => {
          branch = (await home?.branch()) ?? null;
          redraw();
        });
        if (home.session !== null) await enter(home.session);
        else if (composer.text() === '') composer.set(readDraft(stateFolder, cwd));
        redraw();
        const { prompt } = home;
        if (prompt !== null) attempt(() => send(prompt, 'queue'));
        for (const said of early.splice(0)) attempt(() => take(said));
        return await left.promise;
      } finally {
        following.abort();
        screen.stop();
        signals.close();
        guard.dismiss();
      }
    },
  };
}

function need<Value>(value: Value | null): Value {
  if (value === null) throw new Error('The terminal is not ready yet.');
  return value;
}
