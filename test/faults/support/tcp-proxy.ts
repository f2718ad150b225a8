import { once } from 'node:events';
import {
  connect,
  createServer,
  type AddressInfo,
  type NetConnectOpts,
  type Server,
  type Socket,
} from 'node:net';

/** A proxy between a client and its target, which simulates network faults. */
export class TcpProxy {
  private readonly pairs = new Set<Pair>();
  private delayMs = 0;
  private swallows = false;
  private rejects = false;
  private cutAfter: string | null = null;

  private constructor(
    private readonly server: Server,
    private readonly target: NetConnectOpts,
  ) {
    server.on('connection', (socket) => {
      this.accept(socket);
    });
  }

  static async start(target: NetConnectOpts): Promise<TcpProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new TcpProxy(server, target);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Delays every later byte, in each direction. */
  delay(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Resets all connections, and every new one at once, until `heal`. */
  reject(): void {
    this.rejects = true;
    this.cut();
  }

  /**
   * Drops all data until `heal`, without closing a connection. Existing connections stay dead even
   * then, as with a firewall that has dropped their state. New connections are accepted and are
   * dead as well.
   */
  blackhole(): void {
    this.swallows = true;
    this.forget();
  }

  /** Existing connections stay dead. New connections work. */
  forget(): void {
    for (const pair of this.pairs) pair.mute();
  }

  /** New connections work again, without delay. */
  heal(): void {
    this.swallows = false;
    this.rejects = false;
    this.delayMs = 0;
  }

  /**
   * Passes the next client message that contains `text` to the target, waits for the response, and
   * resets the connection instead of passing the response on: the change is made, and the client
   * cannot know.
   */
  loseResponseTo(text: string): void {
    this.cutAfter = text;
  }

  async close(): Promise<void> {
    this.server.close();
    this.cut();
    await once(this.server, 'close');
  }

  /** Resets all connections. */
  private cut(): void {
    for (const pair of this.pairs) pair.destroy();
  }

  private accept(socket: Socket): void {
    if (this.rejects) {
      socket.resetAndDestroy();
      return;
    }
    const pair = new Pair(socket, connect(this.target), () => this.delayMs);
    this.pairs.add(pair);
    socket.once('close', () => this.pairs.delete(pair));
    if (this.swallows) pair.mute();
    socket.on('data', (chunk: Buffer) => {
      if (this.cutAfter === null || !chunk.includes(this.cutAfter)) return;
      this.cutAfter = null;
      pair.loseNextResponse();
    });
  }
}

/** A client's connection and the matching connection to the target. */
class Pair {
  private isMute = false;
  private losesResponse = false;

  constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    private readonly delayMs: () => number,
  ) {
    far.setNoDelay(true);
    this.pass(near, far);
    this.pass(far, near);
  }

  mute(): void {
    this.isMute = true;
  }

  loseNextResponse(): void {
    this.losesResponse = true;
  }

  destroy(): void {
    this.near.resetAndDestroy();
    this.far.destroy();
  }

  private pass(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => {
      if (this.losesResponse && from === this.far) this.destroy();
      else this.after(() => to.write(chunk));
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.after(() => {
        to.destroySoon();
      });
    });
  }

  /** Data in flight is dropped when the connection becomes mute. */
  private after(work: () => void): void {
    const run = (): void => {
      if (!this.isMute) work();
    };
    const delayMs = this.delayMs();
    if (delayMs === 0) run();
    else setTimeout(run, delayMs).unref();
  }
}
