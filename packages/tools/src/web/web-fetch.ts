import type { Tool } from '@pawl/engine';
import { escapeInvisible } from '../escape.ts';
import { defineTool, objectSchema } from '../tool.ts';
import type { Format } from './answer.ts';
import type { Network } from './network.ts';
import { type WebOptions, withWebDefaults } from './options.ts';

type FetchInput = { url: string; format?: Format };

/**
 * Reads a page of the public Internet. Asks by itself, as what is asked for tells the server what the asker knows.
 * All that does the work is loaded with the first call. `network` is for tests.
 */
export function webFetchTool(options: Partial<WebOptions> = {}, network?: Network): Tool {
  const all = withWebDefaults(options);
  const reader = lazily(async () => {
    const { createReader } = await import('./answer.ts');
    const { publicNetwork } = await import('./network.ts');
    return createReader(all, network ?? publicNetwork);
  });
  return defineTool<FetchInput>({
    name: 'web_fetch',
    description:
      'Reads a page, file, image or PDF of the public web. A page comes as Markdown. A redirect to another host is reported, not followed.',
    input: objectSchema(
      {
        url: { type: 'string', description: 'With https://' },
        format: { enum: ['markdown', 'text', 'raw'], description: 'Default markdown; raw is the source' },
      },
      ['url'],
    ),
    effect: 'read',
    subjectKind: 'url',
    // As the parser writes it, which is what is asked; what it cannot read is refused by the plan.
    subject: ({ url }) => URL.parse(url)?.href ?? url,
    approval: () => true,
    async plan({ url }) {
      const { check } = await reader();
      return { preview: { kind: 'text', text: `Fetch ${escapeInvisible(check(url))}` } };
    },
    async run({ url, format = 'markdown' }, context) {
      const { read } = await reader();
      return read(url, format, context);
    },
  });
}

function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
