import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { endsWithin } from '../time/ends-within';
import { isTls } from '../tls/certificate';

/** A client may just be sending on a connection that it has kept: so long it is heard. */
const LINGER_MS = 1_000;
/** After its connections are cut, an application has this long to notice. */
const AFTER_CUT_MS = 1_000;

/** Lets the requests in flight finish when the service stops, and no connection outlive them. */
export class ConnectionDrain {
  private readonly sockets = new Set<Socket>();
  /** Connections that are not secure yet, where they are to be. Node closes none of these itself. */
  private readonly handshakes = new Map<string, Socket>();
  private readonly answers = new Map<ServerResponse, Socket>();
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
    server.prependListener('request', (request, answer) => {
      if (answer.socket) {
        this.track(answer, request.socket);
      } else {
        // It waits for another on its connection; where that ends before, it never closes.
        answer.once('socket', () => {
          this.track(answer, request.socket);
        });
      }
    });
  }

  /**
   * Closes the application with what it serves. No connection is taken any more, and each that is
   * open is closed after its next answer: a client that is cut off while it asks cannot know whether
   * it was heard. Requests in flight have `graceMs` to finish.
   * @returns whether they have finished. Otherwise their connections were cut.
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

  private track(answer: ServerResponse, socket: Socket): void {
    if (this.isDraining && !answer.headersSent) answer.setHeader('Connection', 'close');
    this.answers.set(answer, socket);
    answer.once('close', () => {
      this.answers.delete(answer);
      this.lookForIdle();
      // An answer that had begun before promised to keep its connection.
      if (this.isClosing)
        setImmediate(() => {
          this.server.closeIdleConnections();
        });
    });
  }

  private begin(): void {
    this.isDraining = true;
    for (const answer of this.answers.keys()) {
      if (!answer.headersSent) answer.setHeader('Connection', 'close');
    }
    // Node takes a connection on which nothing was asked yet for a busy one.
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
    for (const socket of this.handshakes.values()) socket.destroy();
    // What HTTP adds to it is that idle connections are closed at once.
    NetServer.prototype.close.call(this.server);
  }

  /** Waits until every connection that is left has an answer on it that is its last. */
  private async noneIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.whenNoneIdle = resolve;
      this.lookForIdle();
    });
  }

  private lookForIdle(): void {
    if (!this.isDraining) return;
    const isLast = ([answer]: [ServerResponse, Socket]): boolean =>
      answer.getHeader('Connection') === 'close';
    const ending = new Set([...this.answers].filter(isLast).map(([, socket]) => socket));
    if ([...this.sockets].every((socket) => socket.destroyed || ending.has(socket))) {
      this.whenNoneIdle();
    }
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${String(remotePort)}`;
}
