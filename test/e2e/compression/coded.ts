import type { IncomingHttpHeaders } from 'node:http';
import { open } from '../export/download';
import { decoded } from '../../support/http-request';
import type { Member, TestApp } from '../../support/test-app';

export interface Coded {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as sent over the network. */
  readonly bytes: Buffer;
  /** The body decoded according to `Content-Encoding`. */
  readonly text: string;
}

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
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text: decoded(bytes, response.headers['content-encoding']),
  };
}

export const accepting = (value: string): Readonly<Record<string, string>> => ({
  'accept-encoding': value,
});
