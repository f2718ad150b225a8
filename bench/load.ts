import { connect, type Socket } from 'node:net';
import { cpuMicros } from './cpu-time';

export interface LoadOptions {
  readonly port: number;
  /** Returns the whole request, head and body, as bytes. */
  readonly request: () => Buffer;
  readonly connections: number;
  readonly seconds: number;
  /** Any other status ends the run. */
  readonly expectedStatus: number;
  /** Process of the server, to measure its CPU time. */
  readonly pid?: number | undefined;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the server for each request, in microseconds; NaN if it was not measured. */
  readonly cpuMicros: number;
}

export interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly key?: string | undefined;
  readonly ifNoneMatch?: string;
  readonly acceptEncoding?: string;
  readonly body?: string;
}

/** Prints a request as bytes. Done once per load, so that the client uses little CPU time. */
export function requestBytes(parts: RequestParts): Buffer {
  const { method, path, key, ifNoneMatch, acceptEncoding, body } = parts;
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...(ifNoneMatch === undefined ? [] : [`If-None-Match: ${ifNoneMatch}`]),
    ...(acceptEncoding === undefined ? [] : [`Accept-Encoding: ${acceptEncoding}`]),
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${String(Buffer.byteLength(body))}`]),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/**
 * Loads a server on the loopback address for `seconds`, over `connections` keep-alive connections
 * with one request at a time each.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const durations: number[] = [];
  const cpuAtStart = cpuMicros(options.pid ?? 0);
  const started = performance.now();
  const until = started + options.seconds * 1000;
  const clients = Array.from({ length: options.connections }, () =>
    keepBusy(options, until, durations),
  );
  await Promise.all(clients);
  const seconds = (performance.now() - started) / 1000;
  const cpu = cpuMicros(options.pid ?? 0) - cpuAtStart;
  durations.sort((a, b) => a - b);
  return {
    requestsPerSecond: durations.length / seconds,
    p50Ms: quantile(durations, 0.5),
    p99Ms: quantile(durations, 0.99),
    cpuMicros: cpu / durations.length,
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function keepBusy(options: LoadOptions, until: number, durations: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: options.port, noDelay: true });
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      if (sentAt >= until) socket.end();
      else socket.write(options.request());
    };
    readResponses(socket, (status) => {
      if (status !== options.expectedStatus) {
        socket.destroy(new Error(`The response was ${String(status)}.`));
        return;
      }
      durations.push(performance.now() - sentAt);
      send();
    });
    socket.once('connect', send).once('error', reject);
    socket.once('close', () => {
      if (performance.now() >= until) resolve();
      else reject(new Error('The server closed a connection.'));
    });
  });
}

/** Calls `onResponse` with the status of each response, once all its bytes have arrived. */
function readResponses(socket: Socket, onResponse: (status: number) => void): void {
  let head = '';
  let status = 0;
  let missing = -1;
  socket.on('data', (chunk: Buffer) => {
    if (missing < 0) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end));
      missing = Number(length?.[1] ?? 0) - (head.length - end - 4);
      head = '';
    } else {
      missing -= chunk.length;
    }
    if (missing > 0) return;
    missing = -1;
    onResponse(status);
  });
}
