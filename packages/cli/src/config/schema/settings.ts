/**
 * The settings of users and projects: what a file may hold, and what each setting means. `config.schema.json` beside
 * this file is made from it: run `npm run schema` after a change. Parts that most files do not have are made when a
 * file has them: each `z.lazy` saves time at every start.
 */
import { bounds, permissionModes } from '@pawl/protocol';
import * as z from 'zod/mini';
import {
  anyText,
  filledList,
  flag,
  group,
  list,
  mapping,
  mustBe,
  mustBeSecret,
  numberFrom,
  oneOf,
  positiveNumber,
  required,
  setting,
  text,
  textLike,
  wholeNumber,
} from './kinds.ts';

const name = textLike(
  /^[A-Za-z][A-Za-z0-9_.-]*$/,
  'is no name: use letters, digits, ".", "-" and "_", beginning with a letter',
).check(z.meta({ id: 'name' }));

const agentName = textLike(
  /^[A-Za-z][A-Za-z0-9_-]*$/,
  'must be the name of an agent: letters, digits, "-" and "_", beginning with a letter',
);

const price = z.lazy(() =>
  group({
    from: setting(
      'The day (UTC) from which on it holds, such as 2026-12-01; without, it has always held.',
      textLike(
        /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
        'must be a day like "2026-12-01", between quotes',
        mustBe('a day like "2026-12-01", between quotes'),
      ),
    ),
    input: numberFrom(0),
    output: numberFrom(0),
    cacheRead: z.exactOptional(numberFrom(0)),
    cacheWrite: z.exactOptional(numberFrom(0)),
    cacheWriteHour: z.exactOptional(numberFrom(0)),
  }).register(z.globalRegistry, {
    id: 'price',
    description: 'US dollars for a million tokens. A bucket of the cache without a price costs what input does.',
  }),
);

const dialect = z.lazy(() =>
  group({
    like: setting(
      'A server that it speaks like; what follows is otherwise.',
      oneOf(['openai', 'openrouter', 'deepseek', 'moonshotai', 'zai', 'mistral', 'qwen']),
    ),
    outputLimitField: setting('What it calls the limit of an answer.', oneOf(['max_completion_tokens', 'max_tokens'])),
    hasStreamOptions: setting('Whether it may be asked for the usage of a stream.', flag),
    thinking: setting(
      'Where it is told how to think.',
      oneOf(['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking']),
    ),
    needsReasoningOfCalls: setting('A call must come back with the reasoning that led to it.', flag),
    hasShortCallIds: setting('Ids of calls have just nine letters and digits.', flag),
    needsAnswerToResults: setting('Nobody but the model may speak after a result.', flag),
    leavesCallsInText: setting('It may leave a call in the text, as markup of its model.', flag),
    canBeForced: setting('Its models can be made to call a tool.', flag),
    schemas: setting('How it holds an answer to a schema.', oneOf(['json_schema', 'json_object'])),
    takesImages: setting('Whether it takes images.', flag),
    takesDocuments: setting('Whether it takes documents, such as PDF.', flag),
    hasCacheKey: setting('It takes prompt_cache_key.', flag),
  }).register(z.globalRegistry, {
    id: 'dialect',
    description: 'How a server of the wire openai-chat speaks, where its address does not tell.',
  }),
);

const variants = z.lazy(() =>
  mapping(
    name,
    group({
      effort: setting("How much it thinks, in the provider's own words; usually minimal, low, medium or high.", text),
      thinkingBudgetTokens: setting(
        'Tokens that it may think, where the API counts them; 0 turns thinking off.',
        wholeNumber({ from: 0 }),
      ),
      temperature: z.exactOptional(numberFrom(0, 2)),
      topP: z.exactOptional(numberFrom(0, 1)),
      stopSequences: setting('Texts that end the answer.', list(text)),
      verbosity: setting('How long it answers: usually low, medium or high.', text),
      body: setting(
        "Further fields of the request, as the API names them. Not in a project's file.",
        mapping(z.string(), z.json().register(z.globalRegistry, { id: 'json' })),
      ),
    }),
  ).register(z.globalRegistry, {
    id: 'variants',
    description: 'Named ways for a model to think and speak, chosen as provider/model@name.',
  }),
);

const limit = (from: number) => z.nullable(wholeNumber({ from }));

const aSecretText = mustBeSecret('a text of one line');

/** A key is never in the file itself, so what looks like one is not repeated. */
const notAKey = mustBeSecret('{env: NAME} or {file: path}; a key itself does not belong into this file');

const keySource = z.lazy(() =>
  z.union(
    [
      group({
        env: required(
          'A variable of the environment.',
          textLike(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable, such as ANTHROPIC_API_KEY'),
        ),
        file: z.exactOptional(z.never(notAKey)),
      }),
      group({
        file: required(
          'A file that holds the key alone; from the folder of this file, or ~/.',
          z.string(notAKey).check(z.minLength(1, notAKey)),
        ),
        env: z.exactOptional(z.never(notAKey)),
      }),
    ],
    notAKey,
  ),
);

const provider = z.lazy(() =>
  group({
    wire: setting('The API that it speaks.', oneOf(['anthropic', 'openai', 'openai-chat', 'google'])),
    baseUrl: z.exactOptional(
      textLike(
        /^https?:\/\/[^\s/@?#]+(\/[^\s?#]*)?$/,
        'must be an address like https://host/path, without a user, a password or a query',
      ),
    ),
    headers: setting(
      "Sent with every request, over Pawl's own.",
      mapping(
        textLike(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'is no name of a header'),
        z.string(aSecretText).check(z.regex(/^[^\r\n\0]*$/, aSecretText), z.meta({ writeOnly: true })),
      ),
    ),
    keys: setting('Where its keys are; in place of the variables that are read otherwise.', list(keySource)),
    rotation: setting('When another key takes its turn; default on_failure.', oneOf(['on_failure', 'per_request'])),
    order: setting('Which key that is; default sequential.', oneOf(['sequential', 'random'])),
    requestsPerMinute: z.exactOptional(wholeNumber({ from: 1 })),
    concurrency: setting('Requests under way at once.', wholeNumber({ from: 1 })),
    credit: setting(
      'Where the provider tells what is left of an account: a path below baseUrl, and where in its JSON the amounts stand.',
      group({
        path: textLike(/^\//, 'must begin with /', mustBe('a path that begins with /')),
        remaining: required('Such as data.limit_remaining.', text),
        limit: z.exactOptional(text),
        unit: setting('Default USD.', anyText),
      }),
    ),
    cache: setting(
      'How long prompts are cached, where the API lets one choose; default 5m.',
      oneOf(['off', '5m', '1h']),
    ),
    dialect: z.exactOptional(dialect),
    timeouts: setting(
      'Of waiting with nothing happening; 0 is none. A whole answer may take as long as it likes.',
      group({
        connectMs: z.exactOptional(wholeNumber({ from: 0 })),
        firstByteMs: z.exactOptional(wholeNumber({ from: 0 })),
        idleMs: z.exactOptional(wholeNumber({ from: 0 })),
        contentMs: z.exactOptional(wholeNumber({ from: 0 })),
      }),
    ),
  }),
);

const model = z.lazy(() =>
  group({
    contextTokens: setting('Tokens of its window.', wholeNumber({ from: 1 })),
    outputTokens: setting('Most tokens of one answer.', wholeNumber({ from: 1 })),
    takes: setting('What it takes besides text.', list(oneOf(['image', 'pdf']))),
    efforts: setting(
      'The words for how much it thinks that it takes; another one becomes the nearest of these.',
      filledList(text),
    ),
    dialect: z.exactOptional(dialect),
    prices: setting(
      'One price, or several of which each holds from its day on.',
      z.union([price, filledList(price)], mustBe('a price with input and output, or a list of them')),
    ),
    variants: z.exactOptional(variants),
  }),
);

const flow = z.lazy(() =>
  group({
    name: text,
    when: required(
      'The end of a task, or of a turn of the main session.',
      group({ agent: agentName, outcome: oneOf(['completed', 'failed', 'cancelled', 'out_of_time', 'blocked']) }),
    ),
    start: group({
      agent: agentName,
      prompt: required('{{result}} stands for what was given.', text),
      scope: setting('Folders and patterns that it may change.', list(text)),
    }),
  }),
);

const networkChoices = '"off", "on" or a list of hosts';

export const settings = group({
  $schema: z.exactOptional(anyText),
  model: setting(
    'The model of runs that name none: provider/model, provider/model@variant, or the name of a pool.',
    text,
  ),
  mode: setting(
    "How a tool's own question is answered where no rule decides. A project's file may only say manual or plan.",
    oneOf(permissionModes),
  ),
  sandbox: setting(
    "What commands may change: the session's folder (the default), nothing, or whatever the user may. A project's file may only narrow it.",
    oneOf(['workspace-write', 'read-only', 'off']),
  ),
  sandboxNetwork: setting(
    "What commands in the sandbox reach of the network: nothing (the default), all (then they are asked about), or a list of hosts, such as registry.npmjs.org, *.github.com, host:8443, 10.0.0.0/8. A project's file may only narrow it.",
    z
      .union([oneOf(['off', 'on']), filledList(text, networkChoices)], mustBe(networkChoices))
      .check(z.meta({ errorMessage: `must be ${networkChoices}` })),
  ),
  sandboxHome: setting(
    "What commands in the sandbox see of your home besides toolchains and caches: folders and files, absolute or relative to the home. pawl doctor shows all. Not in a project's file.",
    list(text),
  ),
  sandboxLimits: setting(
    "What a command in the sandbox may take of the machine; null takes a limit away. Not in a project's file.",
    z.lazy(() =>
      group({
        memory: setting("Of one process, bytes; default the machine's.", limit(100_000_000)),
        processes: setting('At the same time; default 4096.', limit(10)),
        fileSize: setting('Of one file, bytes; default 32 GB.', limit(1_000_000)),
      }),
    ),
  ),
  rules: setting(
    'Permission rules, tool or tool(pattern). A deny wins over an ask, an ask over an allow.',
    group({
      deny: z.exactOptional(list(anyText)),
      ask: z.exactOptional(list(anyText)),
      allow: setting("Not in a project's file.", list(anyText)),
    }),
  ),
  approvers: setting(
    "Groups of people, and which approvals go to which. Without, everybody is asked for all. Not in a project's file.",
    z.lazy(() =>
      group({
        groups: required(
          "The ids of each group's clients, as they sign in; * is any person.",
          mapping(z.string(), filledList(text)),
        ),
        routes: required(
          'The first rule that a call fits says which group is asked about it, if it is asked about.',
          list(group({ rule: anyText, group: anyText })),
        ),
      }),
    ),
  ),
  tasks: setting(
    "How agents delegate. Of the user's and the project's, the smaller holds.",
    z.lazy(() =>
      group({
        depth: setting('Tasks below each other; default 2.', wholeNumber({ from: 0, to: 5 })),
        live: setting('Tasks of one session at the same time; default 8.', wholeNumber({ from: 1, to: 64 })),
        steps: setting('Model calls of a task; default 25.', wholeNumber({ from: 1, to: bounds.maxSteps })),
        durationMs: setting('Default a quarter of an hour.', wholeNumber({ from: 1 })),
        idleMs: setting(
          'How long a background task rests after plain text before it is nudged; default 120000.',
          wholeNumber({ from: 1 }),
        ),
        stallMs: setting(
          'How long a running task is silent before a stall is suspected; default 300000.',
          wholeNumber({ from: 1 }),
        ),
        resume: setting(
          'Whether tasks go on when their session is taken up again after its process was gone; default continue.',
          oneOf(['continue', 'cancel']),
        ),
      }),
    ),
  ),
  flows: setting("Rules that start work when work ends. A project's need trust.", list(flow)),
  limits: setting(
    "Limits of each turn, and of a session where the name says so. Of the user's and the project's, the smaller holds.",
    z.lazy(() =>
      group({
        steps: setting('Model calls in one turn.', wholeNumber({ from: 1, to: bounds.maxSteps })),
        durationMs: z.exactOptional(wholeNumber({ from: 1 })),
        tokens: z.exactOptional(wholeNumber({ from: 1 })),
        usd: z.exactOptional(positiveNumber),
        sessionTokens: z.exactOptional(wholeNumber({ from: 1 })),
        sessionUsd: z.exactOptional(positiveNumber),
        approvalTimeoutMs: setting('0 waits for ever.', wholeNumber({ from: 0 })),
      }),
    ),
  ),
  compaction: setting(
    "When a history that outgrows the model's window is compacted.",
    z.lazy(() =>
      group({
        isOn: setting('Whether it happens by itself.', flag),
        threshold: setting('At which share of what can be used of the window.', numberFrom(0.1, 0.95)),
      }),
    ),
  ),
  pools: setting(
    'Chains of models by name: the first is asked, and when it cannot answer, the next.',
    mapping(name, filledList(required('provider/model or provider/model@variant', text))),
  ),
  variants: z.exactOptional(variants),
  models: setting(
    "What is known better than by the catalogue, by provider/model. Not in a project's file.",
    mapping(z.string(), model),
  ),
  providers: setting(
    "Providers of your own, and what is to be otherwise at those that Pawl knows. Not in a project's file.",
    mapping(name, provider),
  ),
});

/** The settings of one file, once they are known to be valid. */
export type SettingsFile = z.output<typeof settings>;
