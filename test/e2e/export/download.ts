import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { API } from '../../support/api-client';
import type { Member, TestApp } from '../../support/test-app';

export interface Download {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Unpacked where it came compressed. */
  readonly text: string;
  /** The trailers; empty where the answer has none, or was cut. */
  readonly trailers: NodeJS.Dict<string>;
  /** Whether the answer came to its end. */
  readonly isWhole: boolean;
}

export interface DownloadOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks for a file, and gives the answer before its body is read. */
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
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
    sent.on('response', resolve).on('error', reject).end();
  });
}

/** Reads the rest of an answer, whole or cut. */
export async function read(answer: IncomingMessage): Promise<Download> {
  const parts: Buffer[] = [];
  try {
    for await (const part of answer) parts.push(part as Buffer);
  } catch {
    // It was cut: `complete` says so.
  }
  const bytes = Buffer.concat(parts);
  const isZipped = answer.headers['content-encoding'] === 'gzip' && bytes.length > 0;
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text: (isZipped && answer.complete ? gunzipSync(bytes) : bytes).toString(),
    trailers: answer.trailers,
    isWhole: answer.complete,
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
