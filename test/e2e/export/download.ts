import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { API } from '../../support/api-client';
import type { Member, TestApp } from '../../support/test-app';

export interface Download {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, decoded if it was compressed. */
  readonly text: string;
  /** The trailers. Empty if the response has none or was aborted. */
  readonly trailers: NodeJS.Dict<string>;
  /** True if the response is complete. */
  readonly isWhole: boolean;
}

export interface DownloadOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests a file and returns the response before its body is read. */
export function open(
  app: Pick<TestApp, 'origin'>,
  { key }: Pick<Member, 'key'>,
  path: string,
  { method = 'GET', headers = {} }: DownloadOptions = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(`${app.origin}${API}${path}`, {
      method,
      agent: false,
      headers: { authorization: `Bearer ${key}`, te: 'trailers', ...headers },
    });
    sent.on('response', resolve).on('error', reject).end();
  });
}

/** Reads the rest of a response, complete or aborted. */
export async function read(response: IncomingMessage): Promise<Download> {
  const parts: Buffer[] = [];
  try {
    for await (const part of response) parts.push(part as Buffer);
  } catch {
    // The response was aborted, as `complete` shows.
  }
  const bytes = Buffer.concat(parts);
  const isZipped = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: (isZipped && response.complete ? gunzipSync(bytes) : bytes).toString(),
    trailers: response.trailers,
    isWhole: response.complete,
  };
}

export async function download(
  app: Pick<TestApp, 'origin'>,
  member: Pick<Member, 'key'>,
  path: string,
  options?: DownloadOptions,
): Promise<Download> {
  return read(await open(app, member, path, options));
}
