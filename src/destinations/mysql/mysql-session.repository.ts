import { Readable } from 'node:stream';
import type { Connection, QueryOptions } from 'mysql2';
import type { AddressPolicy } from '../../platform/outbound/address-policy';
import { CheckedSocket } from '../../platform/outbound/checked-socket';
import type { Resolver } from '../../platform/outbound/host-resolver';
import { DestinationError, onAbort } from '../destination';
import { invalidValue, mysqlError, numberOf, serverText, packetTooLarge } from './mysql-error';
import {
  NO_ROWS,
  type Response,
  type ResponseLimits,
  ResponseReader,
  type Row,
  SOME_ROWS,
} from './mysql-response';
import type { MysqlSettings } from './mysql-settings';
import { MysqlTypes } from './mysql-sql';

const KEEP_ALIVE_MS = 30_000;
const CHECK_MS = 1_000;
/** Size at which INSERT statements aim. */
const INSERT_BYTES = 1024 * 1024;
/** Values of `max_allowed_packet` that a server can have. */
const PACKET_BYTES = { min: 1024, max: 1024 ** 3 } as const;
/** Size of what separates two lines of an INSERT statement. */
const SEPARATOR_BYTES = 3;
/** Numbers of errors that say that LOAD DATA is not enabled. */
const NO_LOAD_DATA = new Set([1148, 3948, 4166]);
/** Number of the note that a statement is unsafe for replication by statements. */
const UNSAFE_FOR_REPLICATION = '1592';

/** Limits of time, in milliseconds. */
export interface MysqlTimeouts {
  readonly connect: number;
  /** Of a statement that writes nothing or one part. */
  readonly part: number;
  /** Of a statement for a whole table. */
  readonly table: number;
}

const TIMEOUTS: MysqlTimeouts = { connect: 10_000, part: 300_000, table: 3_600_000 };
/** Time that the server has to report that a statement took too long. */
const REPORT_MS = 5_000;

/** How to connect to a server that a user chose. */
export interface MysqlAccess {
  readonly settings: MysqlSettings;
  readonly password: string | null;
  readonly policy: AddressPolicy;
  readonly resolve: Resolver;
  /** Default: `TIMEOUTS`. */
  readonly timeouts?: MysqlTimeouts;
}

/** How long statements may take. */
export type StatementSize = 'part' | 'table';

const SETTINGS = `
  SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
    time_zone = '+00:00', autocommit = 1, lock_wait_timeout = 30, innodb_lock_wait_timeout = 30,
    wait_timeout = 600, net_read_timeout = 60, net_write_timeout = 60`;

/** A connection to a MySQL or MariaDB of a user. All methods throw `DestinationError`. */
export class MysqlSession {
  /** Types of the server. */
  types = new MysqlTypes('utf8mb4_bin');
  private maxPacketBytes = INSERT_BYTES;
  private hasLoadData = false;
  private isMariaDb = false;
  private maxMs: number;
  /** Limit that the server knows; `null` if it has none. */
  private limitMs: number | null = null;
  private awaitedSinceMs: number | null = null;
  private readonly watch: NodeJS.Timeout;
  private readonly responses: ResponseReader;

  private constructor(
    private readonly connection: Connection,
    private readonly socket: CheckedSocket,
    private readonly timeouts: MysqlTimeouts,
  ) {
    this.responses = new ResponseReader(connection, socket);
    this.maxMs = timeouts.part;
    this.watch = setInterval(() => {
      this.check();
    }, CHECK_MS).unref();
  }

  /** @param signal Closes the session, also while it is opened. */
  static async open(access: MysqlAccess, signal?: AbortSignal): Promise<MysqlSession> {
    const { settings, password, policy, resolve, timeouts = TIMEOUTS } = access;
    const { host, port, database, user, tls, caCertificate } = settings;
    const { createConnection } = await loadDriver();
    const socket = new CheckedSocket(policy, { resolve, onlyAllowedPrivate: !tls });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const connection = createConnection({
      host,
      port,
      database,
      user,
      password: password ?? '',
      charset: 'utf8mb4',
      connectTimeout: timeouts.connect,
      ...(tls && {
        ssl: {
          rejectUnauthorized: true,
          verifyIdentity: true,
          ...(caCertificate !== null && { ca: caCertificate }),
        },
      }),
      stream: () => socket.connect(port, host),
    });
    const session = new MysqlSession(connection, socket, timeouts);
    onAbort(signal, () => {
      socket.destroy();
    });
    try {
      await new Promise<void>((resolve, reject) => {
        connection.connect((error) => {
          if (error) reject(error);
          else resolve();
        });
      });
      await session.configure();
      return session;
    } catch (error) {
      session.close();
      throw mysqlError(error);
    }
  }

  /** Returns whether the connection can no longer be used. */
  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  /** Runs one statement. */
  async run(text: string): Promise<void> {
    await this.send({ sql: text });
  }

  /** Runs one statement and returns its rows, each with a text for each column. */
  async query(text: string, limit = SOME_ROWS): Promise<readonly Row[]> {
    return (await this.send({ sql: text }, limit)).rows;
  }

  /**
   * Appends lines of literals to a table. A failure of the lines is thrown as it is.
   * @param names Names of the columns, separated by commas.
   */
  async insert(
    table: string,
    names: string,
    lines: AsyncIterable<readonly string[]>,
  ): Promise<void> {
    const source = new Source(lines);
    try {
      if (this.hasLoadData && (await this.loadData(table, names, source))) return;
      for await (const part of source.grouped(this.maxPacketBytes)) {
        const sql = `INSERT INTO ${table} (${names}) VALUES (${part.join('),(')})`;
        // The server would close the connection.
        if (Buffer.byteLength(sql) >= this.maxPacketBytes) throw packetTooLarge();
        await this.checkInserted(await this.send({ sql }), part.length);
      }
    } catch (error) {
      throw source.failure ? source.failure.error : mysqlError(error);
    }
  }

  /** Limits the time of the statements that follow. */
  async limit(size: StatementSize): Promise<void> {
    this.maxMs = this.timeouts[size];
    // MySQL limits only SELECT. There, the connection is closed.
    if (!this.isMariaDb || this.limitMs === this.maxMs) return;
    await this.run(`SET SESSION max_statement_time = ${String(this.maxMs / 1_000)}`);
    this.limitMs = this.maxMs;
  }

  /** Runs `work` in a transaction. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('START TRANSACTION');
    try {
      const result = await work();
      await this.run('COMMIT');
      return result;
    } catch (error) {
      // The connection may be lost.
      await this.run('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  /** Closes the connection, even if a statement is in progress. */
  close(): void {
    clearInterval(this.watch);
    if (this.awaitedSinceMs === null && !this.isClosed) this.connection.end(() => undefined);
    setTimeout(() => this.socket.destroy(), this.awaitedSinceMs === null ? CHECK_MS : 0).unref();
  }

  private async configure(): Promise<void> {
    await this.run(SETTINGS);
    await this.run('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const [found] = await this.query('SELECT version(), @@max_allowed_packet, @@local_infile');
    const [version, maxPacketBytes, hasLoadData] = found ?? [];
    this.isMariaDb = version?.includes('MariaDB') === true;
    // Other collations ignore spaces at the end of texts.
    this.types = new MysqlTypes(this.isMariaDb ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin');
    this.maxPacketBytes = Number(maxPacketBytes);
    const isInteger = Number.isSafeInteger(this.maxPacketBytes);
    const { min, max } = PACKET_BYTES;
    if (!isInteger || this.maxPacketBytes < min || this.maxPacketBytes > max) {
      throw invalidValue('max_allowed_packet');
    }
    this.hasLoadData = hasLoadData === '1';
  }

  /** @returns `false` if the server does not allow LOAD DATA. Then no line was read. */
  private async loadData(table: string, names: string, source: Source): Promise<boolean> {
    let stream: Readable | undefined;
    const options = {
      sql: String.raw`LOAD DATA LOCAL INFILE 'rows' INTO TABLE ${table} CHARACTER SET utf8mb4
        FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\'' ESCAPED BY '\\'
        LINES TERMINATED BY '\n' (${names})`,
      infileStreamFactory: () => {
        stream = Readable.from(this.watched(source.bytes()), { objectMode: false });
        return stream;
      },
    };
    try {
      await this.checkInserted(await this.send(options), source.count);
      return true;
    } catch (error) {
      if (stream || !NO_LOAD_DATA.has(numberOf(error))) throw error;
      this.hasLoadData = false;
      return false;
    } finally {
      stream?.destroy();
    }
  }

  /** LOAD DATA only warns of values that do not fit and of rows that exist. */
  private async checkInserted({ header }: Response, count: number): Promise<void> {
    if (header?.affectedRows === count && header.warningStatus === 0) return;
    const warnings = await this.query('SHOW WARNINGS LIMIT 100');
    const found = warnings.find(([, number]) => number !== UNSAFE_FOR_REPLICATION);
    if (header?.affectedRows === count && !found) return;
    throw new DestinationError(
      'inconsistent',
      `The database rejected a value. The server: ${serverText(found?.[2] ?? 'Rows are missing.')}`,
    );
  }

  /** Does not count the time for which the server waits for the source. */
  private async *watched(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    this.awaitedSinceMs = null;
    for await (const part of parts) {
      this.awaitedSinceMs = performance.now();
      yield part;
      this.awaitedSinceMs = null;
    }
    this.awaitedSinceMs = performance.now();
  }

  /** Closes the connection if the server does not respond. */
  private check(): void {
    const sinceMs = this.awaitedSinceMs;
    if (sinceMs !== null && performance.now() - sinceMs > this.maxMs + REPORT_MS) {
      this.socket.destroy(Object.assign(new Error('No response.'), { code: 'ETIMEDOUT' }));
    }
  }

  private async send(options: QueryOptions, limit: ResponseLimits = NO_ROWS): Promise<Response> {
    this.awaitedSinceMs = performance.now();
    try {
      return await this.responses.read(options, limit);
    } catch (error) {
      throw mysqlError(error);
    } finally {
      this.awaitedSinceMs = null;
    }
  }
}

/** Lines of literals that are read once. */
class Source {
  /** Number of lines that were read. */
  count = 0;
  failure: { readonly error: unknown } | undefined;

  constructor(private readonly lines: AsyncIterable<readonly string[]>) {}

  /** Gives the lines as a file. An empty part would be the end of the file. */
  async *bytes(): AsyncGenerator<Buffer> {
    for await (const lines of this.read()) yield Buffer.from(`${lines.join('\n')}\n`);
  }

  /** Gives groups of lines for statements of at most so many bytes, if one line is not larger. */
  async *grouped(maxBytes: number): AsyncGenerator<readonly string[]> {
    const aim = Math.min(INSERT_BYTES, maxBytes / 2);
    let [group, bytes]: [string[], number] = [[], 0];
    for await (const lines of this.read()) {
      for (const line of lines) {
        const size = Buffer.byteLength(line) + SEPARATOR_BYTES;
        if (group.length > 0 && bytes + size > aim) {
          yield group;
          [group, bytes] = [[], 0];
        }
        group.push(line);
        bytes += size;
      }
    }
    if (group.length > 0) yield group;
  }

  private async *read(): AsyncGenerator<readonly string[]> {
    try {
      for await (const lines of this.lines) {
        this.count += lines.length;
        yield lines;
      }
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

/** Loads the driver, which is an optional dependency. */
async function loadDriver(): Promise<typeof import('mysql2')> {
  try {
    return await import('mysql2');
  } catch (cause) {
    throw new DestinationError(
      'configuration',
      'The driver of MySQL is not installed. The operator must install the npm package mysql2.',
      { cause },
    );
  }
}
