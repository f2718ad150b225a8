import type { Connection, QueryError, QueryOptions, ResultSetHeader } from 'mysql2';
import type { CheckedSocket } from '../../platform/outbound/checked-socket';
import { DestinationError } from '../destination';

/** What the server may send for one statement. */
export interface ResponseLimits {
  readonly columns: number;
  readonly rows: number;
  readonly bytes: number;
}

const KIB = 1024;
/** Limit of a statement that returns no rows, and of the handshake. */
export const NO_ROWS: ResponseLimits = { columns: 0, rows: 0, bytes: 64 * KIB };
/** Limit of a statement that returns rows. No statement asks for more columns. */
export const SOME_ROWS: ResponseLimits = { columns: 5, rows: 5_000, bytes: KIB * KIB };

/** Packets of a response that are neither a row nor a column. The handshake has most of them. */
const OTHER_PACKETS = 16;

/** A row of a result: a text for each column. */
export type Row = readonly (string | null)[];

/** A response to a statement. */
export interface Response {
  readonly rows: readonly Row[];
  /** What the server sends instead of rows. */
  readonly header: ResultSetHeader | null;
}

/** What this file needs of the inside of the driver. */
interface Driver {
  packetParser: { execute(bytes: Buffer): void };
  handlePacket(packet?: { readonly sequenceId: number }): void;
  sequenceId: number;
}

/**
 * Reads the responses of a server that is not trusted. Counts what arrives, and closes the connection
 * as soon as it is more than the limit, before the driver has read it all.
 */
export class ResponseReader {
  private limit = NO_ROWS;
  private bytes = 0;
  private rows = 0;
  private otherPackets = 0;
  private failure: Error | null = null;
  /** Makes the statement in progress fail. */
  private reject: (error: Error) => void = () => undefined;

  constructor(
    private readonly connection: Connection,
    private readonly socket: CheckedSocket,
  ) {
    // Without a listener, the error would end the process.
    connection.on('error', (error: QueryError) => {
      this.reject(error);
    });
    socket.on('close', () => {
      this.reject(Object.assign(new Error('Closed.'), { code: 'ECONNRESET' }));
    });
    this.guard();
  }

  /** Sends a statement. @throws what the driver throws, and DestinationError */
  async read(options: QueryOptions, limit: ResponseLimits): Promise<Response> {
    this.limit = limit;
    [this.bytes, this.rows, this.otherPackets] = [0, 0, 0];
    const rows: Row[] = [];
    let header: ResultSetHeader | null = null;
    let results = 0;
    try {
      await new Promise<void>((resolve, reject) => {
        this.reject = reject;
        // A parser that the driver compiles would stay in memory, with the names of the columns.
        const safe = { ...options, disableEval: true, rowsAsArray: true, typeCast: false };
        const query = this.connection.query(safe);
        query.on('error', (error: QueryError) => {
          reject(error);
        });
        query.on('fields', (fields: readonly unknown[] | undefined) => {
          results += 1;
          if (results > 1 || (fields?.length ?? 0) > limit.columns) this.stop();
        });
        query.on('result', (result: ResultSetHeader | readonly (Buffer | null)[] | null) => {
          if (!Array.isArray(result)) {
            header = result as ResultSetHeader | null;
            return;
          }
          this.rows += 1;
          this.otherPackets -= 1;
          if (this.rows > limit.rows) this.stop();
          // Buffers would need more memory, and keep what they were read from.
          else rows.push(result.map((value: Buffer | null) => value?.toString('utf8') ?? null));
        });
        query.on('end', resolve);
      });
    } finally {
      this.reject = () => undefined;
    }
    return { rows, header };
  }

  /**
   * Limits what the driver reads. Also makes what it throws while it reads close the connection: it
   * reads in an event handler of the socket, where an exception would end the process.
   */
  private guard(): void {
    const driver = this.connection as unknown as Driver;
    const parser = driver.packetParser;
    const handle = driver.handlePacket.bind(driver);
    driver.packetParser = {
      execute: (bytes) => {
        this.bytes += bytes.length;
        if (this.bytes > this.limit.bytes) this.stop();
        if (this.failure) return;
        try {
          parser.execute(bytes);
        } catch (error) {
          this.stop(error as Error);
        }
      },
    };
    driver.handlePacket = (packet) => {
      if (packet) {
        this.otherPackets += 1;
        if (this.otherPackets > this.limit.columns + OTHER_PACKETS) this.stop();
        if (this.failure) return;
        // Otherwise, the driver prints a warning for each packet whose number is wrong.
        driver.sequenceId = packet.sequenceId;
      }
      handle(packet);
    };
  }

  private stop(error: Error = tooMuch()): void {
    if (this.failure) return;
    this.failure = error;
    this.reject(error);
    this.socket.destroy(error);
  }
}

function tooMuch(): DestinationError {
  return new DestinationError('unavailable', 'The server sent more than was requested.');
}
