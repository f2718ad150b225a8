import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** `statement`: before it reaches the emulator; `response`: after the emulator has run it. */
type HeldPart = 'statement' | 'response';
type Decision = 'release' | 'drop';

/** The next statement that matches, which a proxy holds. */
export class HeldStatement {
  /** Resolves when the statement is held. */
  readonly reached: Promise<void>;
  private reach = (): void => undefined;
  private readonly decided: Promise<Decision>;
  private decide: (decision: Decision) => void = () => undefined;

  constructor(
    readonly pattern: RegExp,
    readonly part: HeldPart,
  ) {
    this.reached = new Promise((resolve) => {
      this.reach = resolve;
    });
    this.decided = new Promise((resolve) => {
      this.decide = resolve;
    });
  }

  /** Lets the statement, or its response, go on. */
  release(): void {
    this.decide('release');
  }

  /** Breaks the connection. A statement that was not sent on is never run. */
  drop(): void {
    this.decide('drop');
  }

  /** Waits for the decision. @returns whether the connection breaks. */
  async isDropped(): Promise<boolean> {
    this.reach();
    return (await this.decided) === 'drop';
  }
}

/** A proxy between a sync and its emulator, which holds chosen statements. */
export class SnowflakeProxy {
  private readonly holds: HeldStatement[] = [];
  private readonly server: Server;

  private constructor(private readonly targetPort: number) {
    this.server = createServer((request, response) => {
      // A worker that was killed reads no response.
      this.handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(targetPort: number): Promise<SnowflakeProxy> {
    const proxy = new SnowflakeProxy(targetPort);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Holds the next statement that matches. */
  hold(pattern: RegExp, part: HeldPart): HeldStatement {
    const held = new HeldStatement(pattern, part);
    this.holds.push(held);
    return held;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request);
    const hold = this.holdOf(request, body);
    if (hold?.part === 'statement' && (await hold.isDropped())) {
      request.socket.destroy();
      return;
    }
    const { method, url, headers } = request;
    const path = { host: '127.0.0.1', port: this.targetPort, method, path: url };
    const sent = httpRequest({ ...path, headers: { ...headers, connection: 'close' } });
    sent.end(body);
    const [received] = (await once(sent, 'response')) as [IncomingMessage];
    const content = await bytesOf(received);
    if (hold?.part === 'response' && (await hold.isDropped())) {
      request.socket.destroy();
      return;
    }
    const type = received.headers['content-type'] ?? 'application/json';
    response.writeHead(received.statusCode ?? 500, { 'content-type': type }).end(content);
  }

  /** Returns what holds a request, which then holds no other one. */
  private holdOf({ url = '', headers }: IncomingMessage, body: Buffer): HeldStatement | undefined {
    if (this.holds.length === 0 || !url.startsWith('/queries/v1/query-request')) return undefined;
    const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const { sqlText } = JSON.parse(text.toString('utf8')) as { readonly sqlText: string };
    const index = this.holds.findIndex(({ pattern }) => pattern.test(sqlText));
    return index < 0 ? undefined : this.holds.splice(index, 1)[0];
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
