/** What waits for the person, put to them one after another, and their answers taken back. */
import type { Client, Identity } from '@pawl/protocol';
import { mayAnswer, messageOf } from '@pawl/protocol';
import type { Composer } from '../composer/composer.ts';
import type { Home } from '../home.ts';
import type { Asked } from '../model/model.ts';
import { type ApprovalReply, createApprovalPanel } from '../panels/approval.ts';
import type { Panel } from '../panels/panel.ts';
import { createQuestionsPanel, type QuestionsReply } from '../panels/questions.ts';
import type { Style } from '../text/style.ts';

export type Asking = {
  /** The panel for what is asked first, if the person may answer it. */
  panel(asked: readonly Asked[]): Panel | null;
};

export type AskingOptions = {
  client(): Client;
  home(): Pick<Home, 'keepRule' | 'limitOf'>;
  identity(): Identity;
  style: Style;
  openLine(onSubmit: (text: string) => void): Composer;
  now(): number;
  /** It was answered: the next one comes. */
  answered(asked: Asked): void;
  complain(problem: string): void;
  changed(): void;
};

export function createAsking(options: AskingOptions): Asking {
  const panels = new Map<string, Panel>();

  const settle = (asked: Asked, answer: () => Promise<unknown>) => {
    answer().then(
      () => options.answered(asked),
      (error: unknown) => {
        // Somebody else was faster, or the rule could not be written: what still waits is asked again.
        panels.delete(keyOf(asked));
        options.complain(messageOf(error));
      },
    );
  };

  const open = (asked: Asked, place: string): Panel => {
    const { style, openLine, now, changed } = options;
    const common = { task: asked.task, style, openLine, now, changed };
    if (asked.kind === 'approval') {
      const { limitOf } = options.home();
      const reply = (given: ApprovalReply) => settle(asked, () => answerApproval(options, asked, given));
      return createApprovalPanel({ ...common, approval: asked.approval, place, limitOf, reply });
    }
    const reply = (given: QuestionsReply) => settle(asked, () => answerQuestions(options, asked, given));
    return createQuestionsPanel({ ...common, asked: asked.questions, reply });
  };

  return {
    panel(asked) {
      for (const key of panels.keys()) if (!asked.some((each) => keyOf(each) === key)) panels.delete(key);
      const mine = asked.filter((each) => isMine(each, options.identity()));
      const [first] = mine;
      if (first === undefined) return null;
      const known = panels.get(keyOf(first));
      if (known !== undefined) return known;
      const panel = open(first, mine.length > 1 ? `1 of ${mine.length} that wait` : '');
      panels.set(keyOf(first), panel);
      return panel;
    },
  };
}

const isMine = (asked: Asked, identity: Identity) =>
  asked.kind === 'questions' ? identity.kind === 'human' : mayAnswer(identity, asked.approval.approvers);

const keyOf = (asked: Asked) =>
  `${asked.session} ${asked.kind === 'approval' ? asked.approval.call : asked.questions.call}`;

type Approval = Extract<Asked, { kind: 'approval' }>;
type Questions = Extract<Asked, { kind: 'questions' }>;

async function answerApproval(
  options: AskingOptions,
  { session, approval }: Approval,
  reply: ApprovalReply,
): Promise<void> {
  const asker = await options.client().open(session);
  if (reply.kind === 'deny') {
    await asker.deny(approval.call, reply.reason ?? undefined);
    if (reply.stops) await asker.command('turn.cancel', { reason: 'refused, and stopped', queue: 'wait' });
    return;
  }
  const { input, added } = reply;
  // First the settings: a rule that could not be written must not seem to be.
  if (added !== undefined && added.scope !== 'session') await options.home().keepRule(added.scope, added.rule);
  await asker.approve(approval.call, {
    ...(input !== undefined && { input }),
    ...(added?.scope === 'session' && { rules: [{ list: 'allow', rule: added.rule }] }),
  });
}

async function answerQuestions(
  options: AskingOptions,
  { session, questions }: Questions,
  reply: QuestionsReply,
): Promise<void> {
  const asker = await options.client().open(session);
  if (reply.kind === 'answers') await asker.answer(questions.call, reply.answers);
  else await asker.decline(questions.call, reply.reason ?? undefined);
}
