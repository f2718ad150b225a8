import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isTls } from '../tls/certificate';
import { endsWithin } from './ends-within';

/** After its connections are cut, an application has this long to notice. */
const AFTER_CUT_MS = 1_000;

/** Lets the requests in flight finish when the service stops, and no connection outlive them. */
export class ConnectionDrain {
  private readonly sockets = new Set<Socket>();
  /** Connections that are not secure yet, where they are to be. Node closes none of these itself. */
  private readonly handshakes = new Map<string, Socket>();
  private readonly answers = new Set<ServerResponse>();
  private isDraining = false;

  constructor(private readonly server: Server) {
    if (isTls(server)) this.followHandshakes(server);
    server.on(isTls(server) ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    server.prependListener('request', (_request, answer) => {
      if (answer.socket) {
        this.track(answer);
      } else {
        // It waits for another on its connection; where that ends before, it never closes.
        answer.once('socket', () => {
          this.track(answer);
        });
      }
    });
  }

  /**
   * Closes the application with what it serves; requests in flight have `graceMs` to finish.
   * @returns whether they did. Otherwise their connections were cut.
   */
  async close(application: { close(): Promise<void> }, graceMs: number): Promise<boolean> {
    this.begin();
    const closed = application.close();
    if (await endsWithin(closed, graceMs)) return true;
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

  private track(answer: ServerResponse): void {
    if (this.isDraining && !answer.headersSent) answer.setHeader('Connection', 'close');
    this.answers.add(answer);
    answer.once('close', () => {
      this.answers.delete(answer);
      // An answer that had begun before promised to keep its connection.
      if (this.isDraining)
        setImmediate(() => {
          this.server.closeIdleConnections();
        });
    });
  }

  private begin(): void {
    this.isDraining = true;
    for (const answer of this.answers) {
      if (!answer.headersSent) answer.setHeader('Connection', 'close');
    }
    // Node takes a connection on which nothing was asked yet for a busy one.
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
    for (const socket of this.handshakes.values()) socket.destroy();
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${String(remotePort)}`;
}
