import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { Agent, type Dispatcher, request } from 'undici';
import type { AddressPolicy } from '../../platform/outbound/address-policy';
import { checkedConnector, ResponseTooLargeError } from '../../platform/outbound/checked-connector';
import type { Resolver } from '../../platform/outbound/host-resolver';
import type { CsvLines } from '../destination';
import {
  ClickhouseException,
  clickhouseError,
  responseCutOff,
  notClickhouse,
} from './clickhouse-error';
import type { ClickhouseSettings } from './clickhouse-settings';

const CONNECT_TIMEOUT_MS = 10_000;
/** Maximum time of a statement that writes or reads one part, and of one for a whole table. */
const PART_TIMEOUT_MS = 300_000;
const TABLE_TIMEOUT_MS = 3_600_000;
/** Maximum size of a response, unless a statement says more. */
const MAX_RESPONSE: ResponseLimits = { rows: 10_000, bytes: 1024 * 1024 };
/** Maximum number of bytes of a connection's response, headers included. */
const MAX_RAW_RESPONSE_BYTES = 136 * 1024 * 1024;
const MAX_COLUMNS = 8;
/** A part of a sync is smaller. */
const ONE_BLOCK = { rows: 10_000_000, bytes: 10_000_000_000 };

/** How to connect to a server that a user chose. */
export interface ClickhouseAccess {
  readonly settings: ClickhouseSettings;
  readonly password: string | null;
  readonly policy: AddressPolicy;
  readonly resolve: Resolver;
  /** Maximum number of bytes of a connection's response. Default: MAX_RAW_RESPONSE_BYTES. */
  readonly maxResponseBytes?: number;
}

/** Maximum size of a response. */
export interface ResponseLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** A row of a result. The server may leave out any column, or send one as another type. */
export type UntrustedRow = Readonly<Partial<Record<string, unknown>>>;

/** How long a statement may take. */
export type StatementSize = 'part' | 'table';

/** Settings of every statement. They do not depend on the profile of the user. */
const SETTINGS = {
  // The status of a response is that of the whole statement.
  wait_end_of_query: 1,
  // On a cluster: statements see what earlier ones wrote, and changes of tables wait for mutations.
  select_sequential_consistency: 1,
  mutations_sync: 2,
  alter_sync: 2,
  join_use_nulls: 1,
  // A sync drops only its own tables, whatever their size.
  max_table_size_to_drop: 0,
  // A table can have many columns.
  max_query_size: 4 * 1024 * 1024,
  // An insert of one block is atomic.
  async_insert: 0,
  insert_deduplicate: 0,
  max_insert_threads: 1,
  input_format_parallel_parsing: 0,
  max_insert_block_size: ONE_BLOCK.rows,
  min_insert_block_size_rows: ONE_BLOCK.rows,
  min_insert_block_size_bytes: ONE_BLOCK.bytes,
  // Values arrive as they are.
  precise_float_parsing: 1,
  format_csv_null_representation: String.raw`\N`,
  format_csv_delimiter: ',',
  format_csv_allow_single_quotes: 0,
  format_csv_allow_double_quotes: 1,
  input_format_csv_trim_whitespaces: 0,
  input_format_csv_detect_header: 0,
  input_format_csv_empty_as_default: 0,
  input_format_allow_errors_num: 0,
  input_format_allow_errors_ratio: 0,
} as const;

/**
 * Statements to a ClickHouse of a user, over its HTTP interface. Requests need no session of the
 * server, so that a load balancer may stand before it. All methods throw `DestinationError`.
 *
 * The official client is not used: `undici` takes sockets that are checked against the policy and
 * whose responses are bounded, and nothing is left to install. ClickHouse documents the interface,
 * and keeps it compatible.
 */
export class ClickhouseSession {
  private readonly agent: Agent;
  private readonly url: string;
  private readonly authorization: string;

  constructor(private readonly access: ClickhouseAccess) {
    const { settings, password, policy, resolve } = access;
    const { maxResponseBytes = MAX_RAW_RESPONSE_BYTES } = access;
    const { host, port, user, tls, caCertificate } = settings;
    const name = host.includes(':') ? `[${host}]` : host;
    this.url = `${tls ? 'https' : 'http'}://${name}:${String(port)}/`;
    this.authorization = `Basic ${Buffer.from(`${user}:${password ?? ''}`).toString('base64')}`;
    this.agent = new Agent({
      connect: checkedConnector(policy, {
        timeoutMs: CONNECT_TIMEOUT_MS,
        resolve,
        maxResponseBytes,
        ...(caCertificate !== null && { ca: caCertificate }),
      }),
      pipelining: 1,
    });
  }

  /** @param queryId Id by which the server lists the statement. */
  async run(text: string, size: StatementSize = 'part', queryId?: string): Promise<void> {
    await this.send(text, size, new RowReader(MAX_RESPONSE), queryId);
  }

  /**
   * Runs a statement and returns its rows.
   * @param limits The statement fails if the response is larger.
   */
  async query(
    text: string,
    size: StatementSize = 'part',
    limits: ResponseLimits = MAX_RESPONSE,
  ): Promise<readonly UntrustedRow[]> {
    const reader = new RowReader(limits);
    await this.send(text, size, reader);
    return reader.rows;
  }

  /**
   * Runs an insert with CSV lines, if there are any. A failure of the lines is thrown as it is, and
   * the server, which gets no end of the data, inserts nothing.
   * @param text Statement up to its data.
   */
  async insert(text: string, lines: CsvLines, queryId: string): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    const iterator = lines[Symbol.asyncIterator]();
    const first = await iterator.next();
    if (first.done === true) return;
    const body = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.concat([Buffer.from(`${text} FORMAT CSV\n`), first.value]);
      try {
        for (;;) {
          const next = await iterator.next();
          if (next.done === true) return;
          yield next.value;
        }
      } catch (error) {
        failure = { error };
        throw error;
      }
    };
    try {
      const source = Readable.from(body(), { objectMode: false });
      await this.send(source, 'part', new RowReader(MAX_RESPONSE), queryId);
    } catch (error) {
      if (failure) throw failure.error;
      throw error;
    } finally {
      await iterator.return?.();
    }
  }

  /**
   * Runs a statement that only reads, and returns its response as it arrives.
   * @param settings Settings of the statement.
   */
  async stream(
    text: string,
    settings: Readonly<Record<string, string | number>>,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    return request(this.url, {
      method: 'POST',
      dispatcher: this.agent,
      headers: { authorization: this.authorization },
      query: { ...settings, database: this.access.settings.database },
      body: text,
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Closes all connections. Statements in progress fail here, but may end on the server. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async send(
    body: string | Readable,
    size: StatementSize,
    reader: RowReader,
    queryId?: string,
  ): Promise<void> {
    const timeoutMs = size === 'part' ? PART_TIMEOUT_MS : TABLE_TIMEOUT_MS;
    try {
      const response = await request(this.url, {
        method: 'POST',
        dispatcher: this.agent,
        headers: { authorization: this.authorization },
        query: {
          ...SETTINGS,
          database: this.access.settings.database,
          default_format: 'JSONEachRow',
          max_execution_time: timeoutMs / 1_000,
          ...(queryId !== undefined && { query_id: queryId }),
        },
        body,
        signal: AbortSignal.timeout(timeoutMs),
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      await readResult(response, reader);
    } catch (error) {
      throw clickhouseError(error);
    }
  }
}

/** Reads the result of a statement. @throws ClickhouseException */
async function readResult(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  reader: RowReader,
): Promise<void> {
  for await (const part of body as AsyncIterable<Buffer>) reader.read(part);
  // A server that does not wait for the end of a statement has sent its status already.
  const [, printed] = /(?:^|\n)Code: (\d{1,5})\. DB::/.exec(reader.tail) ?? [];
  const code = Number(headers['x-clickhouse-exception-code'] ?? printed ?? 0);
  if (Number.isInteger(code) && code > 0) throw new ClickhouseException(code, reader.tail);
  if (statusCode !== 200) throw notClickhouse(statusCode);
  // Without a length, a connection that breaks looks like the end of the response.
  const hasEnd =
    headers['content-length'] !== undefined ||
    String(headers['transfer-encoding']).toLowerCase() === 'chunked';
  if (!hasEnd) throw responseCutOff();
  reader.end();
}

const MAX_EXCEPTION = 16 * 1024;

/** Reads a response line by line, so that it takes no more memory than its rows may. */
class RowReader {
  readonly rows: UntrustedRow[] = [];
  private readonly decoder = new StringDecoder('utf8');
  private bytes = 0;
  private line: string[] = [];
  private failure: Error | null = null;
  private last = '';

  constructor(private readonly limits: ResponseLimits) {}

  /** The end of the response, which may be the text of an exception. */
  get tail(): string {
    return this.last.trim();
  }

  /** @throws ResponseTooLargeError */
  read(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > this.limits.bytes) throw new ResponseTooLargeError();
    const text = this.decoder.write(part);
    this.last = (this.last + text.slice(-MAX_EXCEPTION)).slice(-MAX_EXCEPTION);
    // What is no row can be an exception.
    if (this.failure) return;
    let from = 0;
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      this.line.push(text.slice(from, to));
      this.add();
      from = to + 1;
    }
    this.line.push(text.slice(from));
  }

  /** @throws DestinationError if there was anything but rows. */
  end(): void {
    this.add();
    if (this.failure) throw this.failure;
  }

  private add(): void {
    const line = this.line.join('');
    this.line = [];
    if (line === '' || this.failure) return;
    if (this.rows.length === this.limits.rows) throw new ResponseTooLargeError();
    const row = rowOf(line);
    if (row) this.rows.push(row);
    else this.failure = notClickhouse(200);
  }
}

/** Returns the row of a line; `null` if it is none. */
function rowOf(line: string): UntrustedRow | null {
  try {
    const row: unknown = JSON.parse(line);
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return null;
    const names = Object.keys(row);
    return names.length <= MAX_COLUMNS ? (row as UntrustedRow) : null;
  } catch {
    return null;
  }
}
