import type { IncomingHttpHeaders } from 'node:http';
import * as zlib from 'node:zlib';
import { open } from '../export/download';
import type { Member, TestApp } from '../../support/test-app';

export interface Coded {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As on the wire. */
  readonly bytes: Buffer;
  /** Unpacked by what `Content-Encoding` says. */
  readonly text: string;
}

type Unpack = (bytes: Buffer) => Buffer;

const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: (bytes) => zlib.gunzipSync(bytes),
  br: (bytes) => zlib.brotliDecompressSync(bytes),
  zstd: (bytes) => (zlib as unknown as { zstdDecompressSync: Unpack }).zstdDecompressSync(bytes),
};

/** Asks as a client that unpacks by itself; `fetch` would neither tell nor let choose. */
export async function ask(
  app: TestApp,
  member: Pick<Member, 'key'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Coded> {
  const answer = await open(app, member, path, { method, headers });
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const unpack = bytes.length > 0 ? UNPACK[answer.headers['content-encoding'] ?? ''] : undefined;
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    bytes,
    text: (unpack?.(bytes) ?? bytes).toString(),
  };
}

export const accepting = (value: string): Readonly<Record<string, string>> => ({
  'accept-encoding': value,
});
