import { connect, type Socket } from 'node:net';
import type { LoadOptions, LoadRates, LoadRequest } from './load-request';

/** Prints a request for each path as bytes. Done once per load, so that the client uses little CPU time. */
function allRequestBytes(request: LoadRequest): Buffer[] {
  return (request.paths ?? [request.path]).map((path) => requestBytes({ ...request, path }));
}

function requestBytes({ method, path, headers, body }: LoadRequest): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${String(Buffer.byteLength(body))}`]),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** Loads a server from this process, if there is no wrk. Its client uses much of a processor. */
export async function loadFromHere(options: LoadOptions): Promise<LoadRates> {
  const durations: number[] = [];
  const requests = allRequestBytes(options.request);
  const started = performance.now();
  const until = started + options.seconds * 1000;
  const clients = Array.from({ length: options.connections }, () =>
    keepBusy(options, requests, until, durations),
  );
  await Promise.all(clients);
  const seconds = (performance.now() - started) / 1000;
  durations.sort((a, b) => a - b);
  return {
    requests: durations.length,
    requestsPerSecond: durations.length / seconds,
    p50Ms: quantile(durations, 0.5),
    p99Ms: quantile(durations, 0.99),
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function keepBusy(
  options: LoadOptions,
  requests: readonly Buffer[],
  until: number,
  durations: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: options.port, noDelay: true });
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      if (sentAt >= until) socket.end();
      else socket.write(requests[Math.floor(Math.random() * requests.length)] ?? '');
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
