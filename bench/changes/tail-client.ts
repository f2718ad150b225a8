import { connect } from 'node:net';

/** What the parent process asks for: tails of one datagrid. */
export interface TailRequest {
  readonly port: number;
  /** Address from which the client connects: the service limits the connections of each. */
  readonly localAddress: string;
  readonly path: string;
  readonly key: string;
  readonly count: number;
}

/** Sent once all tails have their first event, and whenever each of them has had another one. */
export interface TailReport {
  readonly events: number;
  /** Time at which the last of the tails had it, in milliseconds since 1970. */
  readonly atMs: number;
}

/** Number of connections that are being opened at the same time. */
const OPENING = 50;

/**
 * Holds streams of events over raw sockets. A chunk of a stream is an event if it contains `id:`;
 * nothing else is read, so that the client costs little.
 */
function tail({ port, localAddress, path, key, count }: TailRequest): void {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n\r\n`;
  const had: number[] = [];
  let opened = 0;
  const note = (event: number): void => {
    had[event] = (had[event] ?? 0) + 1;
    if (had[event] !== count) return;
    const atMs = performance.timeOrigin + performance.now();
    process.send?.({ events: event + 1, atMs } satisfies TailReport);
  };
  const open = (): void => {
    if (opened === count) return;
    opened += 1;
    let events = 0;
    const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true });
    socket.once('connect', () => socket.write(request));
    socket.on('data', (chunk: Buffer) => {
      if (!chunk.includes('id: ')) return;
      note(events);
      events += 1;
      if (events === 1) open();
    });
    socket.once('error', (error) => {
      throw error;
    });
    socket.once('close', () => {
      throw new Error('The service closed a tail.');
    });
  };
  for (let n = 0; n < OPENING; n += 1) open();
}

process.once('message', (request) => {
  tail(request as TailRequest);
});
