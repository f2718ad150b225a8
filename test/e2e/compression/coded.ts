import type { IncomingHttpHeaders } from 'node:http';
import * as zlib from 'node:zlib';
import { open } from '../export/download';
import type { Member, TestApp } from '../../support/test-app';

export interface Coded {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as sent over the network. */
  readonly bytes: Buffer;
  /** The body decoded according to `Content-Encoding`. */
  readonly text: string;
}

type Decoder = (bytes: Buffer) => Buffer;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: (bytes) => zlib.gunzipSync(bytes),
  br: (bytes) => zlib.brotliDecompressSync(bytes),
  zstd: (bytes) => (zlib as unknown as { zstdDecompressSync: Decoder }).zstdDecompressSync(bytes),
};

/** Sends a request and decodes the body itself, because `fetch` hides the encoding. */
export async function fetchCoded(
  app: TestApp,
  member: Pick<Member, 'key'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Coded> {
  const response = await open(app, member, path, { method, headers });
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const decode =
    bytes.length > 0 ? DECODERS[response.headers['content-encoding'] ?? ''] : undefined;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text: (decode?.(bytes) ?? bytes).toString(),
  };
}

export const accepting = (value: string): Readonly<Record<string, string>> => ({
  'accept-encoding': value,
});
