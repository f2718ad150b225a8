import { connect } from 'node:net';
import type { ApiResponse } from './api-client';

/**
 * Below the timeout of a test, so that a connection that stays open fails here, and long enough for
 * slow responses.
 */
const PATIENCE_MS = 25_000;

/**
 * Sends raw bytes and returns the single response before the server closes the connection. Send
 * `Connection: close`, or bytes that make the server close.
 */
export async function sendRaw(port: number, request: string | Buffer): Promise<ApiResponse> {
  return parse(await exchange(port, request));
}

/** Returns all data that the server sends until it closes the connection. */
export function exchange(port: number, request: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(Buffer.concat(received).toString('utf8'));
    });
    socket.setTimeout(PATIENCE_MS, () => {
      socket.destroy(new Error(`The connection is open and silent for ${String(PATIENCE_MS)} ms.`));
    });
    socket.write(request);
  });
}

/** Returns the text of a request: the lines of its head, `Connection: close`, and a body. */
export function rawRequest(lines: readonly string[], body = ''): string {
  return [...lines, 'Connection: close', '', body].join('\r\n');
}

function parse(received: string): ApiResponse {
  const end = received.indexOf('\r\n\r\n');
  const [statusLine = '', ...fields] = received.slice(0, end).split('\r\n');
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    }),
  );
  const text = received.slice(end + 4);
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]),
    headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
