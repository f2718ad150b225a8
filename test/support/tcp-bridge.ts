import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { Client } from 'pg';

/**
 * Makes the test server, which may listen on a Unix socket only, reachable at a TCP port. Can break
 * the connections.
 */
export class TcpBridge {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** Where the server is and who may use it. */
    readonly target: Readonly<Record<'user' | 'password' | 'database', string>>,
  ) {}

  static async start(url: string): Promise<TcpBridge> {
    const { host, port, user, password, database } = new Client({ connectionString: url });
    const server = createServer();
    const bridge = new TcpBridge(server, {
      user: user ?? '',
      password: password ?? '',
      database: database ?? '',
    });
    server.on('connection', (client) => {
      const upstream = host.startsWith('/')
        ? connect(`${host}/.s.PGSQL.${String(port)}`)
        : connect(port, host);
      for (const socket of [client, upstream]) {
        bridge.sockets.add(socket);
        socket.once('close', () => bridge.sockets.delete(socket));
      }
      pipeline(client, upstream, client, () => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return bridge;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Stops passing on what the server sends, on all connections. */
  silence(): void {
    for (const socket of this.sockets) socket.removeAllListeners('data').pause();
  }

  /** Breaks all connections. */
  breakAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.server.close();
    this.breakAll();
    await once(this.server, 'close');
  }
}
