import { connect, type Socket } from 'node:net';

/** Outcome of one request. Times are in milliseconds. */
export interface Reply {
  /** 0 if the connection broke. */
  readonly status: number;
  readonly tookMs: number;
  /** On the clock of `performance`. */
  readonly endedAtMs: number;
}

interface LoadOptions {
  readonly url: string;
  readonly key: string;
  readonly forMs: number;
  /** All connections are opened before the load starts. */
  readonly connections: number;
}

export interface OpenLoadOptions extends LoadOptions {
  readonly requestsPerSecond: number;
}

const TICK_MS = 5;

/** Keeps all connections busy with one request at a time each. */
export async function closedLoad(options: LoadOptions): Promise<readonly Reply[]> {
  const clients = await open(options);
  const replies: Reply[] = [];
  const untilMs = performance.now() + options.forMs;
  const keepBusy = async (client: RawClient): Promise<void> => {
    while (performance.now() < untilMs) replies.push(await client.send());
  };
  await Promise.all(clients.map(keepBusy));
  for (const client of clients) client.close();
  return replies;
}

/**
 * Sends requests at a fixed rate, regardless of responses, as long as a connection is free.
 * @returns the outcome of all requests.
 */
export async function openLoad(options: OpenLoadOptions): Promise<readonly Reply[]> {
  const { requestsPerSecond, forMs } = options;
  const clients = await open(options);
  const free = [...clients];
  const replies: Promise<Reply>[] = [];
  const beganAtMs = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passedMs = Math.min(performance.now() - beganAtMs, forMs);
      const due = Math.floor((passedMs * requestsPerSecond) / 1000);
      while (replies.length < due) {
        const client = free.shift();
        if (!client) break;
        const reply = client.send();
        replies.push(reply);
        void reply.then(() => free.push(client));
      }
      if (passedMs < forMs) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const all = await Promise.all(replies);
  for (const client of clients) client.close();
  return all;
}

async function open({ url, key, connections }: LoadOptions): Promise<RawClient[]> {
  const { port, pathname, search } = new URL(url);
  const head = `GET ${pathname}${search} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const clients: RawClient[] = [];
  for (let n = 0; n < connections; n += 1) {
    clients.push(await RawClient.connect(Number(port), Buffer.from(head)));
  }
  return clients;
}

/**
 * Sends the same request each time, and parses only the length of the response, to use little CPU
 * time.
 */
class RawClient {
  private resolve: (reply: Reply) => void = () => undefined;
  private sentAtMs = 0;
  private status = 0;
  private missingBytes = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly request: Buffer,
  ) {
    socket.on('data', (chunk: Buffer) => {
      this.read(chunk);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.status = 0;
      this.end();
    });
  }

  static connect(port: number, request: Buffer): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        resolve(new RawClient(socket, request));
      });
      socket.once('error', reject);
    });
  }

  send(): Promise<Reply> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.sentAtMs = performance.now();
      this.status = 0;
      this.socket.write(this.request);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    if (this.status === 0) {
      // The head of a response arrives in one chunk.
      const bodyAt = chunk.indexOf('\r\n\r\n') + 4;
      const head = chunk.toString('latin1', 0, bodyAt);
      this.status = Number(head.slice(9, 12));
      this.missingBytes = Number(/content-length: (\d+)/i.exec(head)?.[1]) + bodyAt;
    }
    this.missingBytes -= chunk.length;
    if (this.missingBytes <= 0) this.end();
  }

  private end(): void {
    const endedAtMs = performance.now();
    this.resolve({ status: this.status, tookMs: endedAtMs - this.sentAtMs, endedAtMs });
  }
}
