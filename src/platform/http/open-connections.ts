import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionState } from '../metrics/load-metrics';
import { addressGroup } from '../throttling/address-rate-limit';

/** Share of the connections that one client address may hold. */
const ADDRESS_SHARE = 1 / 2;
/** File descriptors for files, Redis, the log, and Node itself. */
const OWN_DESCRIPTORS = 64;
/** Connection pools: main and query pools, each also on a replica. */
const POOLS = 4;
/** File descriptors of an import or export: its connections and its spool file. */
const DESCRIPTORS_PER_STREAM = 3;
const MIN_CONNECTIONS = 16;
/** Connections that are checked to find an idle one. */
const MAX_LOOKS = 64;

export interface DescriptorUse {
  readonly maxConnections: number;
  readonly databasePoolSize: number;
  readonly maxConcurrentImports: number;
  readonly maxConcurrentExports: number;
}

/**
 * Returns the maximum number of client connections. It leaves enough file descriptors for the
 * database and for files.
 */
export function connectionLimit(
  use: DescriptorUse,
  descriptorLimit = readDescriptorLimit(),
): number {
  const streams = use.maxConcurrentImports + use.maxConcurrentExports;
  const reserved =
    OWN_DESCRIPTORS + POOLS * use.databasePoolSize + DESCRIPTORS_PER_STREAM * streams;
  const room = Math.max(MIN_CONNECTIONS, descriptorLimit - reserved);
  return Math.min(use.maxConnections, room);
}

/**
 * Returns the process's limit on open files (`ulimit -n`).
 * @returns `Infinity` if the system does not report it.
 */
function readDescriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

interface Connection {
  readonly group: string;
  readonly socket: Socket;
  /** The socket that HTTP reads from. Over TLS, it is set after the handshake. */
  http: Socket;
  /** Bytes received when the connection was last checked. */
  seenBytes: number;
}

/**
 * Limits the client connections of a server, in total and per client address, so that idle
 * connections do not use up the file descriptors that the database and files need. Above a limit it
 * closes an idle connection, preferably one that has been silent since its last check: of the new
 * connection's address if that address exceeds its share, otherwise of the address that holds the
 * most. If none is idle, it rejects the new connection.
 */
export class OpenConnections {
  /** Connections by client address, in the order in which they are checked. */
  private readonly groups = new Map<string, Set<Connection>>();
  private readonly handshakes = new Map<string, Connection>();
  private open = 0;
  private closed = 0;
  private rejected = 0;

  /** @param isTrusted Whether an address is a proxy's, which holds connections for many clients. */
  constructor(
    readonly limit: number,
    private readonly isTrusted: (address: string) => boolean,
  ) {}

  get state(): ConnectionState {
    const { open, limit, closed, rejected } = this;
    return { open, limit, closed, rejected };
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.add(socket);
    });
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.handshakes.get(peerOf(socket));
      if (connection) connection.http = socket;
    });
  }

  private add(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const peer = peerOf(socket);
    const connection = { group: addressGroup(address), socket, http: socket, seenBytes: 0 };
    const group = this.groups.get(connection.group) ?? new Set();
    this.groups.set(connection.group, group.add(connection));
    this.handshakes.set(peer, connection);
    this.open += 1;
    // Emitted once. `once` would take a function and an object more for every connection.
    socket.on('close', () => {
      if (this.handshakes.get(peer) === connection) this.handshakes.delete(peer);
      this.remove(connection);
    });
    const isOverShare =
      group.size > Math.ceil(this.limit * ADDRESS_SHARE) && !this.isTrusted(address);
    if (isOverShare) this.makeRoom(group, connection);
    else if (this.open > this.limit) this.makeRoom(this.largestGroup(group), connection);
  }

  private makeRoom(group: Set<Connection>, newcomer: Connection): void {
    const idle =
      this.findIdle(group, newcomer, (connection) => !hasReceived(connection)) ??
      this.findIdle(group, newcomer, () => true);
    if (idle) this.closed += 1;
    else this.rejected += 1;
    const ended = idle ?? newcomer;
    this.remove(ended);
    ended.socket.destroy();
  }

  /** Finds an idle connection. Connections that it skips are checked last the next time. */
  private findIdle(
    group: Set<Connection>,
    newcomer: Connection,
    accepts: (connection: Connection) => boolean,
  ): Connection | undefined {
    for (const connection of [...first(group, MAX_LOOKS)]) {
      if (connection === newcomer) continue;
      if (!isBusy(connection) && accepts(connection)) return connection;
      group.delete(connection);
      group.add(connection);
    }
    return undefined;
  }

  private largestGroup(own: Set<Connection>): Set<Connection> {
    let largest = own;
    for (const group of this.groups.values()) if (group.size > largest.size) largest = group;
    return largest;
  }

  private remove(connection: Connection): void {
    const group = this.groups.get(connection.group);
    if (group?.delete(connection) !== true) return;
    if (group.size === 0) this.groups.delete(connection.group);
    this.open -= 1;
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress ?? ''} ${String(remotePort)}`;

/** Returns whether a request is in progress on the connection. */
function isBusy({ http }: Connection): boolean {
  const { _httpMessage: response } = http as { _httpMessage?: object | null };
  return response !== undefined && response !== null;
}

/**
 * Returns whether bytes have arrived since the last check. Stores the number for the next check.
 */
function hasReceived(connection: Connection): boolean {
  const { bytesRead } = connection.http;
  const isNew = bytesRead !== connection.seenBytes;
  connection.seenBytes = bytesRead;
  return isNew;
}

function* first<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left === 0) return;
    left -= 1;
    yield item;
  }
}
