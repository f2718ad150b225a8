import type { Duplex } from 'node:stream';
import { Client, type ClientConfig } from 'pg';

/** A part of `pg` that its types leave out. */
interface Attaching {
  /** Has what comes from PostgreSQL read, by a listener on the stream. */
  attachListeners(stream: Duplex): void;
}

type Listener = (chunk: Buffer) => void;

/**
 * A client whose failure to read an answer ends its connection, and fails what waits on it.
 * `pg` reads within the socket's event, where an exception (an answer longer than a string can be,
 * a message cut short) would be nobody's, and so end the process with all its other requests.
 */
export class GuardedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    const connection = this.connection as unknown as Attaching;
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      const others = new Set(stream.listeners('data'));
      attach(stream);
      for (const listener of stream.listeners('data') as Listener[]) {
        if (!others.has(listener)) guard(stream, listener);
      }
    };
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
