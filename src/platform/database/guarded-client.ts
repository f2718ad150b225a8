import { Writable, type Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';

/** Parts of `pg` that its types leave out. */
interface Attaching {
  /** Adds the listener that reads PostgreSQL's messages from the stream. */
  attachListeners(stream: Duplex): void;
  readonly stream: Socket;
}
interface ActiveQuery {
  /** The query that PostgreSQL works on for this client. */
  readonly _activeQuery: object | null;
  readonly processID: number | null;
}

type Listener = (chunk: Buffer) => void;

export interface GuardedClientConfig extends ClientConfig {
  /** Connection timeout, also if requests may wait longer for a pool. */
  readonly connectMs?: number;
}

/**
 * A client whose failure to parse a response closes its connection and fails the pending queries.
 * `pg` parses in the socket's event handler, where an exception (a response longer than a string can
 * be, a truncated message) would be uncaught and end the process.
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

  /** The query that waits for PostgreSQL; `null` if PostgreSQL waits for the client. */
  get awaitedQuery(): object | null {
    const query = (this as unknown as ActiveQuery)._activeQuery;
    const { stream } = this.inner;
    // The reader of a COPY is behind, or its sender has nothing to send. (A stream that is read by
    // `read()`, as a COPY is, is paused all the time.)
    if (stream.isPaused() && stream.readableLength > 0) return null;
    const isSending = query instanceof Writable && !query.writableEnded;
    return isSending && stream.writableLength === 0 ? null : query;
  }

  /** The process id of the connection's backend; 0 if unknown. */
  get backendId(): number {
    return (this as unknown as ActiveQuery).processID ?? 0;
  }

  /** Bytes received from PostgreSQL. */
  get receivedBytes(): number {
    return this.inner.stream.bytesRead;
  }

  /** Closes the connection without a message; pending queries fail with `error`. */
  destroy(error: Error): void {
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
