/**
 * The limit: what a competent programmer writes by hand, with `fetch`, the platform's text decoder and the whole
 * history stringified at each step. It keeps nothing, checks nothing and forgives nothing.
 */
import { prompt, type Runner, systemPrompt } from '../runner.ts';

type TextBlock = { type: 'text'; text: string };
type ToolUseBlock = { type: 'tool_use'; id: string; name: string; input: { text: string } };
type ToolResultBlock = { type: 'tool_result'; tool_use_id: string; content: string };
type Message = { role: 'user' | 'assistant'; content: string | (TextBlock | ToolUseBlock | ToolResultBlock)[] };

const tools = [
  {
    name: 'echo',
    description: 'Gives its text back.',
    input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
];

export const runner: Runner = {
  label: 'raw loop (fetch)',
  wire: 'anthropic',
  prepare: ({ baseUrl }) => {
    return async ({ delta, echo }) => {
      const messages: Message[] = [{ role: 'user', content: prompt }];
      for (;;) {
        const response = await fetch(`${baseUrl}/v1/messages`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
          body: JSON.stringify({
            model: 'bench',
            max_tokens: 4096,
            system: systemPrompt,
            tools,
            messages,
            stream: true,
          }),
        });
        if (!response.ok || !response.body) throw new Error(`The server answered ${response.status}.`);
        const content: (TextBlock | ToolUseBlock)[] = [];
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
            } else if (event.type === 'content_block_delta') {
              if (event.delta.type === 'input_json_delta') input += event.delta.partial_json;
              else if (block?.type === 'text') {
                block.text += event.delta.text;
                delta(event.delta.text);
              }
            } else if (event.type === 'content_block_stop' && block?.type === 'tool_use')
              block.input = JSON.parse(input);
          }
        }
        messages.push({ role: 'assistant', content });
        const calls = content.filter((block) => block.type === 'tool_use');
        if (calls.length === 0) return;
        const results = await Promise.all(
          calls.map(async (call) => ({
            type: 'tool_result' as const,
            tool_use_id: call.id,
            content: await echo(call.input.text),
          })),
        );
        messages.push({ role: 'user', content: results });
      }
    };
  },
};
