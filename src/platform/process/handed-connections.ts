import type { Worker } from 'node:cluster';

/** A connection of the operating system, as Node passes it between processes. */
interface Handle {
  close(): void;
}

/** Message with which Node's cluster module hands a connection to a worker. */
interface NewConnection {
  readonly cmd: 'NODE_CLUSTER';
  readonly act: 'newconn';
  readonly seq: number;
}

/** Response of a worker. If it does not accept the connection, Node hands it to another worker. */
interface Acknowledgement {
  readonly cmd: 'NODE_CLUSTER';
  readonly ack: number;
  readonly accepted: boolean;
}

/**
 * Follows the connections that Node hands to a worker. If the worker ends before it has accepted one,
 * Node forgets it, and the client waits for ever: under load, each worker that is killed leaves one. Then
 * another worker gets the connection.
 *
 * Depends on messages within Node (`lib/internal/cluster`), which are the same in Node 20 to 24. A test
 * kills workers under load.
 *
 * @param canServe Whether there are other workers. If not, the connection is closed.
 */
export function followHandedConnections({ process }: Worker, canServe: () => boolean): void {
  const handed = new Map<number, Handle>();
  const send = process.send.bind(process) as (...parameters: unknown[]) => boolean;
  const sendAndFollow = (message: unknown, handle?: unknown, ...rest: unknown[]): boolean => {
    if (isNewConnection(message) && isHandle(handle)) handed.set(message.seq, handle);
    return send(message, handle, ...rest);
  };
  process.send = sendAndFollow;
  process.on('internalMessage', (message: unknown) => {
    if (isAcknowledgement(message)) handed.delete(message.ack);
  });
  process.once('exit', () => {
    // Node does not report this if the worker has not received a connection, and would hand it others.
    process.emit('disconnect');
    for (const [seq, handle] of [...handed]) {
      const rejection: Acknowledgement = { cmd: 'NODE_CLUSTER', ack: seq, accepted: false };
      if (canServe()) process.emit('internalMessage', rejection);
      else handle.close();
    }
  });
}

function isNewConnection(message: unknown): message is NewConnection {
  return isOfCluster(message) && message.act === 'newconn' && typeof message.seq === 'number';
}

function isAcknowledgement(message: unknown): message is Acknowledgement {
  return isOfCluster(message) && typeof message.ack === 'number';
}

function isOfCluster(message: unknown): message is Partial<NewConnection & Acknowledgement> {
  return (
    typeof message === 'object' &&
    message !== null &&
    'cmd' in message &&
    message.cmd === 'NODE_CLUSTER'
  );
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'close' in value;
}
