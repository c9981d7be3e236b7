/** The system prompt follows from the log alone, and changes at logged events alone. */
import type { ModelRequest } from '@pawl/engine';
import { promptText } from '@pawl/engine';
import type { DurableEvent, Fragment } from '@pawl/protocol';
import { toolNames } from '../world/kinds.ts';
import { agents } from '../world/surroundings.ts';
import type { Book } from './book.ts';
import type { Violate } from './invariants.ts';

/** What the log has said of it so far. */
type Known = {
  gathers: boolean;
  agent: string;
  /** The agent of the step that runs. */
  stepAgent: string;
  turn: number;
  last: { turn: number; agent: string } | null;
  fragments: readonly Fragment[] | null;
  /** The prompt of the last request, and how often pieces were logged by then. */
  sent: { system: string; logged: number } | null;
  logged: number;
};

const known = new WeakMap<Book, Known>();

function knownOf(book: Book): Known {
  const before = known.get(book);
  if (before !== undefined) return before;
  const fresh: Known = {
    gathers: false,
    agent: '',
    stepAgent: '',
    turn: 0,
    last: null,
    fragments: null,
    sent: null,
    logged: 0,
  };
  known.set(book, fresh);
  return fresh;
}

/** Takes one event of the log. */
export function checkGathering(book: Book, event: DurableEvent, violate: Violate): void {
  const own = knownOf(book);
  const wrong = (why: string) => violate('I26 gathered', `${book.session} at ${event.seq}: ${why}`);
  switch (event.type) {
    case 'session.created':
      own.gathers = event.data.gathersContext === true;
      own.agent = event.data.agent;
      return;
    case 'session.configured':
      own.agent = event.data.agent ?? own.agent;
      return;
    case 'turn.started':
      own.turn = event.data.turn;
      return;
    case 'context.gathered': {
      const { turn, agent, fragments } = event.data;
      if (!own.gathers) wrong('nothing is to be gathered in this session.');
      if (own.last?.turn === turn && own.last.agent === agent)
        wrong(`turn ${turn} had its prompt as ${agent} already.`);
      if (turn !== own.turn) wrong(`it is for turn ${turn}, and turn ${own.turn} runs.`);
      own.last = { turn, agent };
      if (fragments === undefined) return;
      own.fragments = fragments;
      own.logged += 1;
      return;
    }
    case 'context.compacted':
      // The prefix is new, so all is taken anew.
      own.last = null;
      return;
    case 'step.started': {
      const { turn } = event.data;
      own.stepAgent = own.agent;
      if (own.gathers && (own.last?.turn !== turn || own.last.agent !== own.agent)) {
        wrong(`step ${event.data.step} of turn ${turn} began as ${own.agent} before that was gathered for.`);
      }
      return;
    }
    default:
  }
}

/** A request as the model gets it. */
export function checkSystem(book: Book, request: ModelRequest, violate: Violate): void {
  const own = knownOf(book);
  const expected = own.fragments === null ? null : promptText(own.fragments);
  if (expected !== null && request.system !== expected) {
    violate('I25 system', `${book.session}: the prompt is ${request.system}, and the log says ${expected}.`);
  }
  if (own.gathers && expected === null)
    violate('I25 system', `${book.session}: a request before anything was gathered.`);
  if (own.sent !== null && own.sent.system !== request.system && own.sent.logged === own.logged) {
    violate('I25 system', `${book.session}: the prompt changed, and nothing of that is in the log.`);
  }
  own.sent = { system: request.system, logged: own.logged };
  const agent = own.gathers ? agents.find(({ name }) => name === own.stepAgent) : undefined;
  const may = (tool: string) =>
    agent?.tools == null ||
    agent.tools.includes(tool) ||
    (agent.tools.includes('*') && !agent.tools.includes(`!${tool}`));
  const inOrder = (names: readonly string[]) => names.toSorted((one, other) => (one < other ? -1 : 1)).join();
  // Only some worlds have the tool that checks.
  const told = inOrder(request.tools.map(({ name }) => name).filter((name) => name !== 'bash'));
  const its = inOrder(toolNames.filter(may));
  if (told !== its)
    violate('I25 system', `${book.session}: as ${own.stepAgent} it was told of ${told} in place of ${its}.`);
}
