/** A tool of one's own, its arguments described and checked by zod, with a preview of what it would do. */
import { scriptedModel } from '@pawl/models/testing';
import { createHost, defineTool, memoryLog } from 'pawl';
import { z } from 'zod';

const stock = new Map([['apples', 5]]);

const order = defineTool({
  name: 'order',
  description: 'Orders goods from the warehouse.',
  input: z.object({ goods: z.enum(['apples', 'pears']), count: z.number().int().min(1).default(1) }),
  effect: 'external',
  approval: ({ count }) => count > 10,
  plan: async ({ goods, count }) => ({
    preview: { kind: 'text', text: `${count} ${goods} would leave the warehouse` },
  }),
  run: async ({ goods, count }) => {
    const left = (stock.get(goods) ?? 0) - count;
    if (left < 0) return { content: `There are not ${count} ${goods}.`, isError: true };
    stock.set(goods, left);
    return { content: `Ordered ${count} ${goods}; ${left} are left.`, details: { left } };
  },
});

const model = scriptedModel([
  { calls: [{ tool: 'order', input: { goods: 'apples', count: 0 } }] },
  { calls: [{ tool: 'order', input: { goods: 'apples', count: 2 } }] },
  { calls: [{ tool: 'order', input: { goods: 'apples' } }] },
  { text: 'Three apples are on their way.' },
]);
const host = createHost({ log: memoryLog(), model, tools: [order] });
const session = await host.create({ cwd: process.cwd() });
for await (const event of session.send('Order three apples')) {
  if (event.type === 'tool.finished') console.log(`${event.data.status}: ${event.data.content}`);
  if (event.type === 'turn.ended') console.log(event.data.outcome);
}
await host.close();
