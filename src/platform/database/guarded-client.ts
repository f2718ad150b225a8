import { Writable, type Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';

/** Parts of `pg` that its types leave out. */
interface Attaching {
  /** Has what comes from PostgreSQL read, by a listener on the stream. */
  attachListeners(stream: Duplex): void;
  readonly stream: Socket;
}
interface Asking {
  /** What PostgreSQL is at for this client. */
  readonly _activeQuery: object | null;
  readonly processID: number | null;
}

type Listener = (chunk: Buffer) => void;

export interface GuardedClientConfig extends ClientConfig {
  /** How long connecting may take, also where a pool lets others wait for longer. */
  readonly connectMs?: number;
}

/**
 * A client whose failure to read an answer ends its connection, and fails what waits on it.
 * `pg` reads within the socket's event, where an exception (an answer longer than a string can be,
 * a message cut short) would be nobody's, and so end the process with all its other requests.
 */
export class GuardedClient extends Client {
  constructor(config: GuardedClientConfig = {}) {
    const { connectMs, ...rest } = config;
    super({ ...rest, ...(connectMs !== undefined && { connectionTimeoutMillis: connectMs }) });
    const { inner } = this;
    const attach = inner.attachListeners.bind(inner);
    inner.attachListeners = (stream) => {
      const others = new Set(stream.listeners('data'));
      attach(stream);
      for (const listener of stream.listeners('data') as Listener[]) {
        if (!others.has(listener)) guard(stream, listener);
      }
    };
  }

  /** What PostgreSQL owes an answer to; `null` where it is somebody else's turn. */
  get owed(): object | null {
    const query = (this as unknown as Asking)._activeQuery;
    const { stream } = this.inner;
    // Whoever reads a COPY is behind, or whoever sends one has nothing to send. (What is read by
    // `read()`, as a COPY is, is paused all the time.)
    if (stream.isPaused() && stream.readableLength > 0) return null;
    const isSending = query instanceof Writable && !query.writableEnded;
    return isSending && stream.writableLength === 0 ? null : query;
  }

  /** Of PostgreSQL's process for this connection, as it was told at the start. */
  get backendId(): number {
    return (this as unknown as Asking).processID ?? 0;
  }

  /** Bytes that have come from PostgreSQL. */
  get heardBytes(): number {
    return this.inner.stream.bytesRead;
  }

  /** Ends the connection without a word; what waits on it fails by `error`. */
  abandon(error: Error): void {
    this.inner.stream.destroy(error);
  }

  private get inner(): Attaching {
    return this.connection as unknown as Attaching;
  }
}

function guard(stream: Duplex, listener: Listener): void {
  stream.on('data', (chunk: Buffer) => {
    try {
      listener(chunk);
    } catch (error) {
      stream.destroy(error as Error);
    }
  });
  stream.off('data', listener);
}
