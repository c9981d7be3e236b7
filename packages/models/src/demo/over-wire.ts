/** A model of this process as if it were reached over a network, so that what records and plays networks does so with it. */
import type { RequestOptions } from 'node:http';
import { Agent } from 'node:http';
import type { Readable } from 'node:stream';
import type { Model, ModelEvent, ModelRequest } from '@pawl/engine';
import type { Message } from '@pawl/protocol';
import type { Connection, WireTap } from '../http/connection.ts';
import { AnsweredRequest } from '../record/answered-request.ts';
import type { Exchange } from '../record/wire-cassette.ts';

/** Its request is a JSON object, and its answer one event a line. */
export function overWire(model: Model, tap: WireTap): Model {
  return {
    ...model,
    async *stream(request, signal) {
      const answering = () => new AnsweredRequest(() => exchangeOf(model.stream(request, signal)));
      const options: Connection['options'] = {
        agent: new Agent(),
        protocol: 'http:',
        host: model.id,
        port: 80,
        path: '/',
        method: 'POST',
      };
      const connection = tap({
        request: answering as unknown as Connection['request'],
        host: model.id,
        options,
        proxy: null,
      });
      const answer = await answerTo(connection, bodyOf(request));
      for (const line of answer.split('\n')) if (line !== '') yield JSON.parse(line) as ModelEvent;
    },
  };
}

async function exchangeOf(events: AsyncIterable<ModelEvent>): Promise<Exchange> {
  const chunks: Exchange['chunks'] = [];
  for await (const event of events) chunks.push({ atMs: 0, bytes: Buffer.from(`${JSON.stringify(event)}\n`) });
  return {
    exchange: 1,
    url: '',
    body: '',
    response: { type: 'response', exchange: 1, atMs: 0, status: 200, headers: {} },
    chunks,
    end: { type: 'end', exchange: 1, atMs: 0 },
  };
}

function answerTo({ request, options }: Connection, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(options as RequestOptions);
    outgoing.once('error', reject);
    outgoing.once('response', (answer: Readable) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      answer.once('error', reject);
    });
    outgoing.write(Buffer.from(body));
    outgoing.end();
  });
}

function bodyOf({ system, tools, messages, tail }: ModelRequest): string {
  return JSON.stringify({ system, tools: tools.map(({ name }) => name), messages: messages.map(sentOf), tail });
}

/** What a provider would be sent of a message: not what it cost, nor the ids of the log. */
function sentOf(message: Message): object {
  if (message.role === 'tool') {
    return { role: 'tool', results: message.results.map(({ tool, status, content }) => ({ tool, status, content })) };
  }
  const content: object[] = [];
  for (const part of message.content) {
    if (part.type === 'text') content.push({ text: part.text });
    else if (part.type === 'tool_call') content.push({ tool: part.tool, input: part.input });
  }
  return { role: message.role, content };
}
