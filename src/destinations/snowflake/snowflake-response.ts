import { ResponseTooLargeError } from '../../platform/outbound/checked-connector';
import { notSnowflake } from './snowflake-error';

/** What the server may send for one statement. */
export interface ResponseLimits {
  readonly columns: number;
  readonly rows: number;
  readonly bytes: number;
}

const KIB = 1024;
/** Limit of a statement that returns at most a few rows, and of the login. */
export const SOME_ROWS: ResponseLimits = { columns: 5, rows: 5_000, bytes: KIB * KIB };

/** A row of a result: a text for each column. */
export type Row = readonly (string | null)[];

const MAX_TEXT = 10_000;
const QUERY_PATH = /^\/queries\/[\w-]{1,64}\/result$/;

type Fields = Readonly<Partial<Record<string, unknown>>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, MAX_TEXT) : undefined;
const countOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

/**
 * Returns what the driver needs of a response, in the form that it expects. Everything else is left
 * out: parameters that would change the driver for all connections, commands that read or write
 * files, and types of columns, which the driver would convert. Columns are texts.
 * @throws DestinationError, ResponseTooLargeError
 */
export function checkedBody(path: string, text: string, limit: ResponseLimits): object {
  const body = parsed(text);
  if (!isObject(body) || typeof body['success'] !== 'boolean') throw notSnowflake(200);
  const { success } = body;
  const [code, message] = [textOf(body['code']) ?? null, textOf(body['message']) ?? null];
  const data = isObject(body['data']) ? body['data'] : {};
  if (!success) {
    const state = textOf(data['sqlState']);
    return { success, code, message, data: { ...runningOf(data), sqlState: state } };
  }
  if (path.startsWith('/session')) return { success, code, message, data: sessionOf(data) };
  return { success, code, message, data: resultOf(data, limit) };
}

/** Returns a part of a large result as the driver reads it. @throws DestinationError */
export function checkedChunk(text: string, limit: ResponseLimits): string {
  const rows = rowsOf(parsed(`[${text}]`), limit);
  return JSON.stringify(rows).slice(1, -1);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notSnowflake(200, error);
  }
}

/** What the driver needs to ask again for a statement that still runs. */
function runningOf(data: Fields): object {
  const url = textOf(data['getResultUrl']);
  const id = textOf(data['queryId']);
  return {
    ...(url !== undefined && QUERY_PATH.test(url) && { getResultUrl: url }),
    ...(id !== undefined && { queryId: id }),
  };
}

const SESSION_TEXTS = ['token', 'masterToken', 'sessionToken'] as const;
const SESSION_COUNTS = [
  ...['validityInSeconds', 'masterValidityInSeconds'],
  ...['validityInSecondsST', 'validityInSecondsMT'],
];

function sessionOf(data: Fields): object {
  const texts = SESSION_TEXTS.map((name) => [name, textOf(data[name])] as const);
  const counts = SESSION_COUNTS.map((name) => [name, countOf(data[name])] as const);
  const found: readonly (readonly [string, string | number | undefined])[] = [...texts, ...counts];
  return {
    ...Object.fromEntries(found),
    sessionId: countOf(data['sessionId']) ?? null,
    parameters: [],
  };
}

function resultOf(data: Fields, limit: ResponseLimits): object {
  const types = data['rowtype'];
  if (!Array.isArray(types)) return { ...runningOf(data), rowtype: [], ...NO_ROWS };
  if (types.length > limit.columns) throw new ResponseTooLargeError();
  const rowset = rowsOf(data['rowset'] ?? [], limit);
  const chunks = chunksOf(data['chunks'], limit);
  const count = chunks.reduce((sum, { rowCount }) => sum + rowCount, rowset.length);
  if (count > limit.rows) throw new ResponseTooLargeError();
  return {
    ...runningOf(data),
    rowtype: types.map((_, column) => ({
      name: String(column),
      type: 'text',
      nullable: true,
      scale: null,
      precision: null,
    })),
    rowset,
    total: count,
    returned: count,
    ...(chunks.length > 0 && { chunks, ...keysOf(data) }),
    parameters: [],
    version: 1,
  };
}

const NO_ROWS = { rowset: [], total: 0, returned: 0, parameters: [], version: 1 };

const isCell = (cell: unknown): cell is string | null => cell === null || typeof cell === 'string';

function rowsOf(value: unknown, limit: ResponseLimits): Row[] {
  if (!Array.isArray(value)) throw notSnowflake(200);
  if (value.length > limit.rows) throw new ResponseTooLargeError();
  return (value as readonly unknown[]).map((row): Row => {
    if (!Array.isArray(row)) throw notSnowflake(200);
    if (row.length > limit.columns) throw new ResponseTooLargeError();
    const cells: readonly unknown[] = row;
    if (!cells.every(isCell)) throw notSnowflake(200);
    return cells;
  });
}

interface ChunkHead {
  readonly url: string;
  readonly rowCount: number;
}

/** Returns where the parts of a large result are. */
function chunksOf(value: unknown, { rows }: ResponseLimits): ChunkHead[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > rows) throw notSnowflake(200);
  return value.map((chunk: unknown) => {
    const head = isObject(chunk) ? chunk : {};
    const [url, rowCount] = [textOf(head['url']), countOf(head['rowCount'])];
    if (url === undefined || rowCount === undefined) throw notSnowflake(200);
    return { url, rowCount };
  });
}

/** Returns the headers with which the parts are read. */
function keysOf(data: Fields): object {
  const headers = isObject(data['chunkHeaders']) ? Object.entries(data['chunkHeaders']) : [];
  const texts = headers.filter(([, value]) => typeof value === 'string').slice(0, 20);
  const qrmk = textOf(data['qrmk']);
  return {
    ...(texts.length > 0 && { chunkHeaders: Object.fromEntries(texts) }),
    ...(qrmk !== undefined && { qrmk }),
  };
}
