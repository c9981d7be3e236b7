/** The shortest program: a model, a tool, a session. The model is scripted, so it needs no key. */
import { scriptedModel } from '@pawl/models/testing';
import { createHost, memoryLog, type Tool } from 'pawl';

const echo: Tool = {
  name: 'echo',
  description: 'Says what it is told.',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  effect: 'read',
  run: async ({ text }) => ({ content: `The echo says: ${text}` }),
};
const model = scriptedModel([{ calls: [{ tool: 'echo', input: { text: 'hello' } }] }, { text: 'It said hello.' }]);

const host = createHost({ log: memoryLog(), model, tools: [echo] });
const session = await host.create({ cwd: process.cwd() });
for await (const event of session.send('Make an echo')) {
  if (event.type === 'tool.finished') console.log(event.data.content);
  if (event.type === 'stream.text') console.log(event.data.text);
}
await host.close();
