import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { SentRequest } from './sender';

const FRAMINGS = [
  'chunked',
  'trailers',
  'incomplete',
  'tooLong',
  'wrongChunk',
  'hugeChunk',
  'both',
  'twice',
  'negative',
  'none',
  'length',
] as const;

const CODINGS = [
  'gzip',
  'br',
  'deflate',
  'truncated',
  'wrong',
  'double',
  'unknown',
  'none',
] as const;

/** How a client sends a request, and when it leaves. */
export interface Manner {
  readonly version: string;
  readonly connection: string | undefined;
  readonly framing: (typeof FRAMINGS)[number];
  readonly coding: (typeof CODINGS)[number];
  readonly headers: readonly string[];
  /** Parts in which the bytes are sent; one for each byte if it is Infinity. */
  readonly parts: number;
  /**
   * - `wait`: reads until the server closes the connection
   * - `halfClose`: closes its side after the last byte, and reads on
   * - `leaveAtByte`: leaves after a part of the request
   * - `leaveAfterRequest`: leaves after the last byte
   * - `leaveInResponse`: leaves after some bytes of the response
   */
  readonly end: 'wait' | 'halfClose' | 'leaveAtByte' | 'leaveAfterRequest' | 'leaveInResponse';
  /** Share of the request, or number of bytes of the response. */
  readonly at: number;
  /** Leaves with a reset, instead of the end of the stream. */
  readonly resets: boolean;
  /** Number of further requests that are sent without waiting for a response. */
  readonly pipelined: number;
}

const ODD_HEADERS = [
  'Expect: 100-continue',
  'Expect: nothing',
  'TE: trailers',
  'TE: trailers, deflate;q=0.5',
  'Trailer: X-Checksum',
  'Accept: text/event-stream',
  'Accept: application/x-ndjson',
  'Accept: application/x-ndjson, */*;q=0.1',
  'Accept-Encoding: zstd, br;q=0.1',
  'Accept-Charset: utf-16',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Range: bytes=0-5',
  'Keep-Alive: timeout=1, max=1',
  'Content-Type: multipart/form-data; boundary=x',
  'X-Forwarded-For: unknown, 1.2.3.4, [::1]:80',
  `X-Long: ${'x'.repeat(5_000)}`,
  'X-Empty:',
  'X-Bytes: \u00ff\u00fe',
];

/** Headers that the parser of Node, or a guard, rejects. */
const WRONG_HEADERS = [
  'Host: other.example',
  'Cookie: datagrid_session=x',
  `X-Too-Long: ${'x'.repeat(20_000)}`,
  ' X-Folded: a',
  'No colon',
  'X-Control: a\u0001b',
];

/** How most clients send a request. */
const USUAL: Manner = {
  version: 'HTTP/1.1',
  connection: 'close',
  framing: 'length',
  coding: 'none',
  headers: [],
  parts: 1,
  end: 'wait',
  at: 0,
  resets: false,
  pipelined: 0,
};

const oddities: { readonly [Name in keyof Manner]: fc.Arbitrary<Manner[Name]> } = {
  version: fc.constantFrom(
    'HTTP/1.0',
    'HTTP/1.0',
    'HTTP/1.0',
    'HTTP/1.0',
    'HTTP/2.0',
    'HTTP/0.9',
    'HTTP/1.2',
    'http/1.1',
    '',
  ),
  connection: fc.constantFrom(undefined, 'keep-alive', 'Upgrade', 'TE, close'),
  framing: fc.constantFrom(...FRAMINGS),
  coding: fc.constantFrom(...CODINGS),
  headers: fc.oneof(
    { weight: 3, arbitrary: fc.subarray(ODD_HEADERS, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.subarray(WRONG_HEADERS, { minLength: 1, maxLength: 2 }) },
  ),
  parts: fc.constantFrom(2, 3, 7, Infinity),
  end: fc.constantFrom('halfClose', 'leaveAtByte', 'leaveAfterRequest', 'leaveInResponse'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  resets: fc.boolean(),
  pipelined: fc.constantFrom(1, 4),
};
const NAMES = Object.keys(oddities).filter((name) => name !== 'at' && name !== 'resets');

/** One to three oddities at a time: with all at once, no request would reach its route. */
export const anyManner: fc.Arbitrary<Manner> = fc
  .tuple(fc.record(oddities), fc.subarray(NAMES, { minLength: 1, maxLength: 3 }))
  .map(([odd, names]) => ({
    ...USUAL,
    at: odd.at,
    resets: odd.resets,
    ...Object.fromEntries(Object.entries(odd).filter(([name]) => names.includes(name))),
  }));

/** Returns whether the server closes the connection after its response. */
export function isClosed({ version, connection }: Manner): boolean {
  if (connection?.includes('close') === true) return true;
  return version !== 'HTTP/1.1' && connection !== 'keep-alive';
}

/** Returns the bytes of a request. Each character of a header is one byte. */
export function bytesOf(
  { method, target, headers, body }: SentRequest,
  manner: Manner,
  key: string | undefined,
): Buffer {
  const coded = codedBody(Buffer.from(body ?? ''), manner.coding);
  const { lines, bytes } = framedBody(coded, manner.framing);
  const known = [
    `Host: 127.0.0.1`,
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...(manner.connection === undefined ? [] : [`Connection: ${manner.connection}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(manner.coding === 'none' ? [] : [`Content-Encoding: ${CODING_NAMES[manner.coding]}`]),
    ...lines,
    ...manner.headers,
  ];
  const head = `${`${method} ${target} ${manner.version}`.trimEnd()}\r\n${known.join('\r\n')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

const CODING_NAMES = {
  gzip: 'gzip',
  br: 'br',
  deflate: 'deflate',
  truncated: 'gzip',
  wrong: 'br',
  double: 'gzip, gzip',
  unknown: 'rot13',
} as const;

function codedBody(body: Buffer, coding: Manner['coding']): Buffer {
  switch (coding) {
    case 'gzip':
      return gzipSync(body);
    case 'br':
      return brotliCompressSync(body);
    case 'deflate':
      return deflateSync(body);
    case 'truncated':
      return gzipSync(body).subarray(0, -6);
    case 'double':
      return gzipSync(gzipSync(body));
    case 'none':
    case 'wrong':
    case 'unknown':
    default:
      return body;
  }
}

interface Framed {
  readonly lines: readonly string[];
  readonly bytes: Buffer;
}

function framedBody(body: Buffer, framing: Manner['framing']): Framed {
  const length = (value: number): string => `Content-Length: ${String(value)}`;
  const chunked = 'Transfer-Encoding: chunked';
  const half = Math.ceil(body.length / 2);
  const chunks = [body.subarray(0, half), body.subarray(half)].filter(({ length: n }) => n > 0);
  const chunkBytes = (...after: string[]): Buffer =>
    Buffer.concat([
      ...chunks.flatMap((chunk) => [
        Buffer.from(`${chunk.length.toString(16)};extension=1\r\n`),
        chunk,
        Buffer.from('\r\n'),
      ]),
      Buffer.from(['0', ...after, '', ''].join('\r\n')),
    ]);
  switch (framing) {
    case 'length':
      return { lines: body.length > 0 ? [length(body.length)] : [], bytes: body };
    case 'chunked':
      return { lines: [chunked], bytes: chunkBytes() };
    case 'trailers':
      return { lines: [chunked, 'Trailer: X-A'], bytes: chunkBytes('X-A: 1', 'Content-Length: 5') };
    case 'incomplete':
      return { lines: [length(body.length + 10)], bytes: body };
    case 'tooLong':
      return { lines: [length(half)], bytes: body };
    case 'wrongChunk':
      return { lines: [chunked], bytes: Buffer.concat([Buffer.from('zz\r\n'), body]) };
    case 'hugeChunk':
      return { lines: [chunked], bytes: Buffer.from(`${'f'.repeat(17)}\r\n`) };
    case 'both':
      return { lines: [length(body.length), chunked], bytes: chunkBytes() };
    case 'twice':
      return { lines: [length(body.length), length(body.length + 1)], bytes: body };
    case 'negative':
      return { lines: [length(-1)], bytes: body };
    case 'none':
    default:
      return { lines: [], bytes: body };
  }
}
