/** Approvals answered by a program: it allows what only lists, and says why it refuses the rest. */
import { scriptedModel } from '@pawl/models/testing';
import { builtinTools, createHost, memoryLog } from 'pawl';

const model = scriptedModel([
  {
    calls: [
      { tool: 'bash', input: { command: 'touch new-file' } },
      { tool: 'bash', input: { command: 'echo fine' } },
    ],
  },
  { text: 'One was refused, one was run.' },
]);
const host = createHost({ log: memoryLog(), model, tools: builtinTools() });
const session = await host.create({
  cwd: process.cwd(),
  isAttended: true,
  rules: { ask: ['bash'] },
});

for await (const event of session.send('Do these two things')) {
  if (event.type === 'approval.requested') {
    const { call, input } = event.data;
    const isHarmless = String(input.command).startsWith('echo ');
    console.log(`${isHarmless ? 'allowed' : 'refused'}: ${input.command}`);
    if (isHarmless) await session.approve(call);
    else await session.deny(call, 'Nothing may be written here.');
  }
  if (event.type === 'tool.finished') console.log(`  ${event.data.status}: ${event.data.content.trim()}`);
  if (event.type === 'turn.ended') console.log(event.data.outcome);
}
await host.close();
