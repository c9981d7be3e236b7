import { readFileSync } from 'node:fs';
import { messageOf, PawlError } from '@pawl/protocol';
import type { WireName } from '../select/providers.ts';
import type { Places } from './volatile.ts';

/**
 * A wire cassette is a text file with one JSON value a line, written as things happen: a header, and for each exchange
 * with a provider a `request`, its `response` once it begins, its chunks as they came, and how it ended. Exchanges may
 * overlap. One that was cut off by a crash has no end.
 */
export const wireCassetteVersion = 1;

/** Each provider's wire and address, by its name. */
export type RecordedProviders = { readonly [name: string]: { wire: WireName; baseUrl: string } };

export type WireHeader = {
  type: 'wire_cassette';
  version: number;
  recordedAt: string;
  /** The model's name, as people write it. */
  model?: string;
  /** How its providers were spoken to: requests depend on the address too. */
  providers?: RecordedProviders;
  /** The folders of the run: in a replay, others may stand in their place. */
  places?: Places;
};
/** So many characters of the body are those of the request before; `rest` comes after them. */
type RequestLine = {
  type: 'request';
  exchange: number;
  url: string;
  headers: { [name: string]: string };
  same: number;
  rest: string;
};
/** Milliseconds are counted from the request. */
type ResponseLine = {
  type: 'response';
  exchange: number;
  atMs: number;
  status: number;
  headers: { [name: string]: string | string[] };
};
/** One chunk: as text if it is whole characters, else as base64. */
type DataLine = { type: 'data'; exchange: number; atMs: number; text?: string; base64?: string };
type EndLine = {
  type: 'end';
  exchange: number;
  atMs: number;
  /** How the connection failed, where it did; an idle one that was taken up again is simply tried anew. */
  error?: { code: string; message: string; isReused: boolean };
};
export type WireLine = RequestLine | ResponseLine | DataLine | EndLine;

/** One recorded exchange. */
export type Exchange = {
  exchange: number;
  url: string;
  body: string;
  response: ResponseLine | null;
  chunks: { atMs: number; bytes: Buffer }[];
  end: EndLine | null;
};

/** @throws `no_cassette`, `bad_cassette`, `cassette_too_new`. */
export function readWireCassette(path: string): { header: WireHeader; exchanges: Exchange[] } {
  const exchanges = new Map<number, Exchange>();
  let header: WireHeader | null = null;
  let body = '';
  const rows = readText(path).split('\n');
  for (const [index, row] of rows.entries()) {
    if (row === '') continue;
    const line = parseLine(path, row, index, index === rows.length - 1);
    // Only the last line can be half written.
    if (line === null) break;
    if (index === 0) header = checkHeader(path, line);
    else if (line.type === 'request') {
      body = body.slice(0, line.same) + line.rest;
      const { exchange, url } = line;
      exchanges.set(exchange, { exchange, url, body, response: null, chunks: [], end: null });
    } else if (line.type !== 'wire_cassette') addLine(path, exchanges, line);
  }
  if (header === null) throw badCassette(path, 'it is empty');
  return { header, exchanges: [...exchanges.values()] };
}

function addLine(path: string, exchanges: Map<number, Exchange>, line: Exclude<WireLine, RequestLine>): void {
  const exchange = exchanges.get(line.exchange);
  if (exchange === undefined) throw badCassette(path, `exchange ${line.exchange} has no request`);
  switch (line.type) {
    case 'response':
      exchange.response = line;
      return;
    case 'data': {
      const bytes = line.base64 === undefined ? Buffer.from(line.text ?? '') : Buffer.from(line.base64, 'base64');
      exchange.chunks.push({ atMs: line.atMs, bytes });
      return;
    }
    case 'end':
      exchange.end = line;
      return;
    default:
      line satisfies never;
  }
}

function parseLine(path: string, row: string, index: number, isLast: boolean): WireHeader | WireLine | null {
  try {
    return JSON.parse(row) as WireHeader | WireLine;
  } catch (error) {
    if (isLast && index > 0) return null;
    throw badCassette(path, `line ${index + 1}: ${messageOf(error)}`);
  }
}

function checkHeader(path: string, line: WireHeader | WireLine): WireHeader {
  if (line.type !== 'wire_cassette') throw badCassette(path, 'it does not begin with a header');
  if (line.version > wireCassetteVersion) {
    const sentence = `${path} was recorded by a newer Pawl (wire cassette version ${line.version}). Update Pawl to replay it.`;
    throw new PawlError('cassette_too_new', sentence);
  }
  return line;
}

function readText(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new PawlError('no_cassette', `There is no recording ${path}: ${messageOf(error)}.`, { cause: error });
  }
  if (text.trim() === '') throw badCassette(path, 'it is empty');
  return text;
}

function badCassette(path: string, reason: string): PawlError {
  return new PawlError(
    'bad_cassette',
    `${path} is no recording (${reason}). Record one with pawl run --record, or recordWire.`,
  );
}
