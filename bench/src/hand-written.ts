/** The limit for a program: a loop with two tools as one writes it by hand, which asks nobody and keeps nothing. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: { path: string; command: string } };

const run = promisify(execFile);
const tool = (name: string, property: string) => ({
  name,
  description: name,
  input_schema: { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] },
});
const tools = [tool('read', 'path'), tool('bash', 'command')];
const [baseUrl, prompt] = process.argv.slice(2);
const messages: object[] = [{ role: 'user', content: prompt }];

for (;;) {
  const response = await fetch(`${baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'bench', max_tokens: 4096, stream: true, tools, messages }),
  });
  if (!response.ok || !response.body) throw new Error(`The server answered ${response.status}.`);
  const content: Block[] = [];
  let input = '';
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const event = JSON.parse(line.slice(6));
      const block = content.at(-1);
      if (event.type === 'content_block_start') {
        content.push(event.content_block);
        input = '';
      } else if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta') {
        input += event.delta.partial_json;
      } else if (event.type === 'content_block_delta' && block?.type === 'text') block.text += event.delta.text;
      else if (event.type === 'content_block_stop' && block?.type === 'tool_use') block.input = JSON.parse(input);
    }
  }
  messages.push({ role: 'assistant', content });
  const results = [];
  for (const block of content) {
    if (block.type !== 'tool_use') continue;
    const { path, command } = block.input;
    const text = block.name === 'read' ? await readFile(path, 'utf8') : (await run('bash', ['-c', command])).stdout;
    results.push({ type: 'tool_result', tool_use_id: block.id, content: text });
  }
  if (results.length === 0) break;
  messages.push({ role: 'user', content: results });
}
