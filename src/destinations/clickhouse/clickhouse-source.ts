import { isUtf8 } from 'node:buffer';
import { BAD_BYTES } from '../../common/encoding/utf8-text';
import { DestinationError } from '../destination';
import {
  BATCH_CHARACTERS,
  type QueryResult,
  type ResultLimits,
  type ResultRow,
  type Source,
  type SourceQuery,
} from '../source';
import { statementOf } from '../source-sql';
import {
  ClickhouseException,
  clickhouseError,
  responseCutOff,
  notClickhouse,
} from './clickhouse-error';
import { type ClickhouseAccess, ClickhouseSession } from './clickhouse-session';
import { quoted, subquery } from './clickhouse-sql';

/**
 * Settings of a query. Values arrive exactly: numbers with all digits, times in UTC, and what is no
 * number as text.
 */
const SETTINGS = {
  readonly: 1,
  wait_end_of_query: 0,
  cancel_http_readonly_queries_on_client_close: 1,
  default_format: 'JSONCompactEachRowWithNamesAndTypes',
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_64bit_floats: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_quote_denormals: 1,
  output_format_json_named_tuples_as_objects: 1,
  join_use_nulls: 1,
} as const;

/** A response ends with the result. Its rows are limited one by one. */
const MAX_RESPONSE_BYTES = 2 ** 50;
const LINE_FEED = 0x0a;
/** Escapes of JSON, quotes and commas can make a line longer than its values. */
const EXPANSION = 6;
/** Maximum number of bytes of the lines of names and types. */
const HEADER_BYTES = 4 * 1024 * 1024;

/** Reads results of a ClickHouse over its HTTP interface, with `readonly`. */
export class ClickhouseSource implements Source {
  constructor(private readonly access: ClickhouseAccess) {}

  async read(query: SourceQuery, limits: ResultLimits, signal: AbortSignal): Promise<QueryResult> {
    signal.throwIfAborted();
    const session = new ClickhouseSession({
      ...this.access,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    const seconds = Math.ceil(limits.timeoutMs / 1_000);
    // The server should report before that it took too long.
    const timeout = AbortSignal.timeout(limits.timeoutMs + 5_000);
    const text = subquery(statementOf(query, quoted));
    const settings = { ...SETTINGS, max_execution_time: seconds, timeout_overflow_mode: 'throw' };
    const failed = (error: unknown): unknown =>
      signal.aborted ? signal.reason : sourceError(error, seconds);
    try {
      const { statusCode, headers, body } = await session.stream(
        text,
        settings,
        AbortSignal.any([signal, timeout]),
      );
      const lines = new LineReader(body as AsyncIterable<Buffer>, limits.maxRowBytes);
      const code = Number(headers['x-clickhouse-exception-code'] ?? 0);
      if (code > 0 || statusCode !== 200) {
        const text = (await lines.next()) ?? '';
        throw code > 0
          ? new ClickhouseException(code, text)
          : (exceptionOf(text) ?? notClickhouse(statusCode));
      }
      // Without a length, a connection that breaks looks like the end of the response.
      const hasEnd =
        headers['content-length'] !== undefined ||
        String(headers['transfer-encoding']).toLowerCase() === 'chunked';
      if (!hasEnd) throw responseCutOff();
      const names = namesOf(await lines.next());
      const types = namesOf(await lines.next());
      if (names.length !== types.length) throw notClickhouse(statusCode);
      return {
        columns: names.map((name, index) => ({ name, type: types[index] ?? '' })),
        batches: async function* () {
          try {
            yield* batchesOf(lines, names.length);
          } catch (error) {
            throw failed(error);
          }
        },
        close: () => session.close(),
      };
    } catch (error) {
      await session.close();
      throw failed(error);
    }
  }
}

async function* batchesOf(
  lines: LineReader,
  columns: number,
): AsyncGenerator<readonly ResultRow[]> {
  for (let line = await lines.next(); line !== null; line = await lines.next()) {
    const rows = [rowOf(line, columns)];
    let length = line.length;
    while (length < BATCH_CHARACTERS) {
      const arrived = lines.shift();
      if (arrived === null) break;
      rows.push(rowOf(arrived, columns));
      length += arrived.length;
    }
    yield rows;
  }
}

/** Splits a response into lines. */
class LineReader {
  private readonly body: AsyncIterator<Buffer>;
  private readonly maxBytes: number;
  /** Bytes of a line whose end has not arrived, and bytes that are not split yet. */
  private parts: Buffer[] = [];
  private bytes = 0;
  private rest: Buffer | null = Buffer.alloc(0);
  private at = 0;

  constructor(
    body: AsyncIterable<Buffer>,
    private readonly maxRowBytes: number,
  ) {
    this.body = body[Symbol.asyncIterator]();
    this.maxBytes = Math.max(HEADER_BYTES, EXPANSION * maxRowBytes);
  }

  /** Returns the next line; `null` after the last one. @throws DestinationError if it is too long. */
  async next(): Promise<string | null> {
    for (;;) {
      const line = this.shift();
      if (line !== null) return line;
      if (this.rest === null) return null;
      const next = await this.body.next();
      this.at = 0;
      this.rest = next.done === true ? null : next.value;
      if (this.rest === null && this.bytes > 0) return this.take(Buffer.alloc(0));
    }
  }

  /** Returns the next line if it has arrived. */
  shift(): string | null {
    const { rest, at } = this;
    if (rest === null) return null;
    const to = rest.indexOf(LINE_FEED, at);
    if (to !== -1) {
      this.at = to + 1;
      return this.take(rest.subarray(at, to));
    }
    if (at < rest.length) {
      this.parts.push(rest.subarray(at));
      this.bytes += rest.length - at;
      this.at = rest.length;
    }
    if (this.bytes > this.maxBytes) {
      const text = `A row of the result has more than ${String(this.maxRowBytes)} bytes. Select fewer or shorter columns.`;
      throw new DestinationError('configuration', text);
    }
    return null;
  }

  private take(end: Buffer): string {
    const line = this.parts.length === 0 ? end : Buffer.concat([...this.parts, end]);
    [this.parts, this.bytes] = [[], 0];
    return textOf(line);
  }
}

/** Marks bytes that are not UTF-8: the import rejects their row. */
const textOf = (line: Buffer): string =>
  isUtf8(line) ? line.toString('utf8') : line.toString('utf8').replaceAll('\uFFFD', BAD_BYTES);

function namesOf(line: string | null): string[] {
  const value = line ?? '';
  const names = jsonOf(value);
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  throw exceptionOf(value) ?? notClickhouse(200);
}

/** Returns the values of a line, a JSON array. @throws ClickhouseException or DestinationError */
function rowOf(line: string, columns: number): ResultRow {
  const items = line.startsWith('[') && line.endsWith(']') ? itemsOf(line) : null;
  if (items?.length !== columns) throw exceptionOf(line) ?? notClickhouse(200);
  return items.map((item) => {
    if (item === 'null') return null;
    if (!item.startsWith('"')) return item;
    const text = jsonOf(item);
    if (typeof text !== 'string') throw notClickhouse(200);
    return text;
  });
}

/** Matches a bracket, a comma or a string of JSON, also one without an end: so the time is linear. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[[\]{},]/gs;

/** Returns the items of a JSON array as they are written, so that numbers keep all digits. */
function itemsOf(line: string): string[] {
  const items: string[] = [];
  let [depth, from] = [0, 1];
  for (const { 0: token, index } of line.matchAll(TOKEN)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    const isEnd = (token === ',' && depth === 1) || (token === ']' && depth === 0);
    if (!isEnd) continue;
    items.push(line.slice(from, index).trim());
    from = index + 1;
  }
  return items;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the exception that a server has printed, also after rows; `null` if there is none. */
function exceptionOf(line: string): ClickhouseException | null {
  const [, code] = /Code: (\d{1,5})\. DB::/.exec(line) ?? [];
  return code === undefined ? null : new ClickhouseException(Number(code), line);
}

const NO_RIGHT = [497];
/** The profile of the user is read-only, and its settings cannot change. */
const READ_ONLY = [164, 452];
const TOO_SLOW = [159, 160, 209];
const UNAVAILABLE = [201, 202, 203, 241, 173, 252, 394];

/** Turns a failure into one for the owner of the import. The message of the server stays. */
function sourceError(error: unknown, seconds: number): DestinationError {
  const tooSlow = `The query took more than ${String(seconds)} seconds, or was canceled. Make it faster, or select fewer rows.`;
  if ((error as Error).name === 'TimeoutError') {
    return new DestinationError('unavailable', tooSlow, { cause: error });
  }
  if (!(error instanceof ClickhouseException)) return clickhouseError(error);
  const { code, message } = error;
  const server = ` ClickHouse: ${message}`;
  const failure = (what: string): DestinationError =>
    new DestinationError('configuration', what + server, { cause: error });
  if (NO_RIGHT.includes(code)) {
    return failure('The user lacks a right. Grant SELECT on the tables of the query.');
  }
  if (READ_ONLY.includes(code)) {
    return failure(
      'A query of an import can only read, and the profile of the user must allow settings: `readonly` must be 0 or 2.',
    );
  }
  if (TOO_SLOW.includes(code))
    return new DestinationError('unavailable', tooSlow, { cause: error });
  if (UNAVAILABLE.includes(code)) return clickhouseError(error);
  const { kind, message: known } = clickhouseError(error);
  if (kind === 'configuration' && /user|password|database does not exist/.test(known)) {
    return clickhouseError(error);
  }
  return failure('The query failed. It must be one SELECT statement. Correct it.');
}
