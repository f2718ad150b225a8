import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { RandomBelow } from './seeded-random';

/** What happens to a request. */
export const FAULTS = [
  /** The connection breaks before the request is sent. */
  'noRequest',
  /** The target responds, but the connection breaks before the first byte of the response. */
  'noResponse',
  /** The connection breaks within this response or, if it is short, within a later one. */
  'partOfResponse',
  /** The proxy responds 503 with `Retry-After`. */
  'unavailable',
] as const;

type Fault = (typeof FAULTS)[number];

/** No more faults in a row, so that a client with exponential backoff makes progress. */
const MAX_FAULTS_IN_A_ROW = 2;
const MAX_PART_BYTES = 20_000;
/** Longer than the first delay of a client that ignores the header. */
const RETRY_AFTER_SECONDS = 2;
/** Timers are not exact. */
const EARLY_MS = 50;

const UNAVAILABLE = [
  'HTTP/1.1 503 Service Unavailable',
  `Retry-After: ${String(RETRY_AFTER_SECONDS)}`,
  'Content-Length: 0',
  'Connection: close',
  '\r\n',
].join('\r\n');

/**
 * A proxy between one HTTP client and the service that breaks connections at random points. Expects
 * that a request arrives as one chunk, as a short `GET` does.
 */
export class FaultyProxy {
  /** Number of requests, including those that failed. */
  requests = 0;
  /** Requests that came before the time in `Retry-After`. */
  earlyRequests = 0;
  readonly faults: Record<Fault, number> = {
    noRequest: 0,
    noResponse: 0,
    partOfResponse: 0,
    unavailable: 0,
  };
  /** Number of responses of the service by status. */
  readonly statuses = new Map<number, number>();
  private readonly clients = new Set<Socket>();
  private faultsInARow = 0;
  private retryAt = 0;
  /** The client that was told when to retry. It may not have read it. */
  private rejected: Socket | undefined;
  private isFaulty = true;
  private isDown = false;

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
    private readonly below: RandomBelow,
  ) {
    server.on('connection', (client) => {
      this.accept(client);
    });
  }

  static async start(targetPort: number, below: RandomBelow): Promise<FaultyProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new FaultyProxy(server, targetPort, below);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Breaks all connections, also those of requests that wait for a response. */
  breakAll(): void {
    if (this.rejected && this.clients.has(this.rejected)) this.retryAt = 0;
    for (const client of this.clients) this.break(client);
  }

  /** Expects another client, which does not know of `Retry-After`. */
  expectNewClient(): void {
    this.breakAll();
    this.retryAt = 0;
  }

  /** Breaks all connections, and each new one, until `goUp`. */
  goDown(): void {
    this.isDown = true;
    this.breakAll();
  }

  goUp(): void {
    this.isDown = false;
  }

  /** Causes no more faults on new connections. */
  heal(): void {
    this.isFaulty = false;
    this.breakAll();
  }

  async close(): Promise<void> {
    this.server.close();
    this.breakAll();
    await once(this.server, 'close');
  }

  private accept(client: Socket): void {
    this.clients.add(client);
    client.on('error', () => undefined);
    client.once('close', () => this.clients.delete(client));
    if (this.isDown) {
      this.break(client);
      return;
    }
    const target = connect(this.targetPort, '127.0.0.1');
    target.on('error', () => undefined);
    client.once('close', () => {
      target.destroy();
    });
    target.once('close', () => {
      client.destroySoon();
    });
    /** Bytes of responses to pass on before the connection breaks. */
    let bytesLeft = Infinity;
    client.on('data', (request: Buffer) => {
      const fault = this.nextFault();
      if (fault === 'noRequest') this.break(client);
      else if (fault === 'unavailable') this.reject(client);
      else {
        if (fault === 'noResponse') bytesLeft = 0;
        if (fault === 'partOfResponse') bytesLeft = 1 + this.below(MAX_PART_BYTES);
        target.write(request);
      }
    });
    target.on('data', (response: Buffer) => {
      this.count(response);
      client.write(response.subarray(0, bytesLeft));
      bytesLeft -= response.length;
      if (bytesLeft < 0) this.break(client);
    });
  }

  private nextFault(): Fault | undefined {
    this.requests += 1;
    if (Date.now() < this.retryAt) this.earlyRequests += 1;
    this.retryAt = 0;
    const mayFail = this.isFaulty && this.faultsInARow < MAX_FAULTS_IN_A_ROW;
    // About half of the requests fail.
    const fault = mayFail ? FAULTS[this.below(2 * FAULTS.length)] : undefined;
    this.faultsInARow = fault ? this.faultsInARow + 1 : 0;
    if (fault) this.faults[fault] += 1;
    return fault;
  }

  private reject(client: Socket): void {
    this.rejected = client;
    this.retryAt = Date.now() + 1_000 * RETRY_AFTER_SECONDS - EARLY_MS;
    client.end(UNAVAILABLE);
  }

  /** Closes a connection, or resets it. */
  private break(client: Socket): void {
    if (this.below(2) === 0) client.resetAndDestroy();
    else client.destroySoon();
  }

  private count(response: Buffer): void {
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(response.toString('latin1', 0, 16)) ?? [];
    if (status === undefined) return;
    this.statuses.set(Number(status), (this.statuses.get(Number(status)) ?? 0) + 1);
  }
}
