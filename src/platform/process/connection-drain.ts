import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { endsWithin } from '../time/ends-within';
import { isTls } from '../tls/certificate';

/** Time to wait for requests that clients may already be sending on idle connections. */
const LINGER_MS = 1_000;
/** Time for the application to close after its connections were cut. */
const AFTER_CUT_MS = 1_000;

/** Lets requests in progress finish when the service stops, and closes all connections. */
export class ConnectionDrain {
  private readonly sockets = new Set<Socket>();
  /** TLS connections whose handshake is not complete. Node does not close these itself. */
  private readonly handshakes = new Map<string, Socket>();
  private readonly responses = new Map<ServerResponse, Socket>();
  private isDraining = false;
  private isClosing = false;
  private whenNoneIdle: () => void = () => undefined;

  constructor(
    private readonly server: Server,
    private readonly lingerMs = LINGER_MS,
  ) {
    if (isTls(server)) this.followHandshakes(server);
    server.on(isTls(server) ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => {
        this.sockets.delete(socket);
        this.lookForIdle();
      });
    });
    server.prependListener('request', (request, response) => {
      if (response.socket) {
        this.track(response, request.socket);
      } else {
        // Waits for an earlier response on its connection. If the connection ends first, it never
        // closes.
        response.once('socket', () => {
          this.track(response, request.socket);
        });
      }
    });
  }

  /**
   * Closes the application and its server. The server accepts no new connections, and each open
   * connection is closed after its next response: a client whose connection is cut during a request
   * cannot know whether the request was processed. Requests in progress have `graceMs` to finish.
   * @returns whether they finished. If not, their connections were cut.
   */
  async close(application: { close(): Promise<void> }, graceMs: number): Promise<boolean> {
    const endMs = performance.now() + graceMs;
    this.begin();
    await endsWithin(this.noneIdle(), Math.min(this.lingerMs, graceMs));
    this.isClosing = true;
    const closed = application.close();
    if (await endsWithin(closed, Math.max(0, endMs - performance.now()))) return true;
    this.server.closeAllConnections();
    await endsWithin(closed, AFTER_CUT_MS);
    return false;
  }

  private followHandshakes(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      this.handshakes.set(peer, socket);
      socket.once('close', () => this.handshakes.delete(peer));
    });
    server.on('secureConnection', (socket: Socket) => {
      this.handshakes.delete(peerOf(socket));
    });
  }

  private track(response: ServerResponse, socket: Socket): void {
    if (this.isDraining && !response.headersSent) response.setHeader('Connection', 'close');
    this.responses.set(response, socket);
    response.once('close', () => {
      this.responses.delete(response);
      this.lookForIdle();
      // A response that began before the drain allowed the client to keep the connection.
      if (this.isClosing)
        setImmediate(() => {
          this.server.closeIdleConnections();
        });
    });
  }

  private begin(): void {
    this.isDraining = true;
    for (const response of this.responses.keys()) {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    }
    // Node treats a connection without a request so far as busy.
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
    for (const socket of this.handshakes.values()) socket.destroy();
    // The HTTP server's own `close` would also close idle connections at once.
    NetServer.prototype.close.call(this.server);
  }

  /** Waits until every open connection is sending its last response. */
  private async noneIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.whenNoneIdle = resolve;
      this.lookForIdle();
    });
  }

  private lookForIdle(): void {
    if (!this.isDraining) return;
    const isLast = ([response]: [ServerResponse, Socket]): boolean =>
      response.getHeader('Connection') === 'close';
    const ending = new Set([...this.responses].filter(isLast).map(([, socket]) => socket));
    if ([...this.sockets].every((socket) => socket.destroyed || ending.has(socket))) {
      this.whenNoneIdle();
    }
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${String(remotePort)}`;
}
