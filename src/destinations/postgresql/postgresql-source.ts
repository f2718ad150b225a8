import { DestinationError } from '../destination';
import {
  type QueryResult,
  type ResultColumn,
  type ResultLimits,
  type ResultRow,
  type Source,
  type SourceQuery,
} from '../source';
import { statementOf } from '../source-sql';
import { TOO_MUCH } from './postgresql-client.repository';
import { postgresqlError } from './postgresql-error';
import { textReader, typeName } from './postgresql-result-values';
import { type PostgresqlAccess, PostgresqlSession, quoted } from './postgresql-session.repository';
import type { ResultField } from './postgresql-stream.repository';

const CONNECT_TIMEOUT_MS = 10_000;
/** Maximum number of columns of a result in PostgreSQL. */
const MAX_COLUMNS = 1_664;
/** What else a message of a row can have, and the rest of a received part. */
const SLACK_BYTES = 256 * 1024;

/** Reads results of a PostgreSQL, in a transaction that can write nothing. */
export class PostgresqlSource implements Source {
  constructor(private readonly access: PostgresqlAccess) {}

  async read(query: SourceQuery, limits: ResultLimits, signal: AbortSignal): Promise<QueryResult> {
    signal.throwIfAborted();
    const { timeoutMs } = limits;
    const timeouts = {
      ...this.access.timeouts,
      connect: CONNECT_TIMEOUT_MS,
      part: timeoutMs,
      table: timeoutMs,
    };
    const session = await PostgresqlSession.open({ ...this.access, timeouts }, 'datagrid import');
    const close = (): void => {
      session.cancel();
    };
    signal.addEventListener('abort', close);
    session.endAfter(timeoutMs);
    try {
      signal.throwIfAborted();
      return await start(session, this.statementOf(query), limits, () => {
        signal.removeEventListener('abort', close);
        session.close();
      });
    } catch (error) {
      signal.removeEventListener('abort', close);
      session.close();
      signal.throwIfAborted();
      throw sourceError(error, limits);
    }
  }

  /** A table without a schema is in that of the connection. */
  private statementOf(query: SourceQuery): string {
    const { schema } = this.access.settings;
    const isPlain = 'table' in query && query.table.length === 1;
    return statementOf(isPlain ? { table: [schema, ...query.table] } : query, quoted);
  }
}

/** Starts a statement. The result closes its session. */
async function start(
  session: PostgresqlSession,
  text: string,
  limits: ResultLimits,
  close: () => void,
): Promise<QueryResult> {
  await session.beginReadOnly();
  // A cursor is accepted only for one statement that returns rows. It is planned, but never runs.
  await session.query(`DECLARE _datagrid_import NO SCROLL CURSOR FOR ${text}`, []);
  await session.run('CLOSE _datagrid_import');
  const bytes = limits.maxRowBytes + SLACK_BYTES;
  const stream = session.streamOf(text, { rows: 2, bytes, columns: MAX_COLUMNS });
  const parts = session.stream(stream);
  const first = parts.next();
  first.catch(() => undefined);
  const fields = await Promise.race([stream.described, first.then(() => stream.described)]);
  const columns = fields.map(columnOf);
  const readers = fields.map(({ dataTypeID }) => textReader(dataTypeID));
  const read = (row: ResultRow): ResultRow =>
    row.map((value, index) => (value === null ? null : (readers[index]?.(value) ?? value)));
  return {
    columns,
    batches: async function* () {
      try {
        for (let part = await first; part.done !== true; part = await parts.next()) {
          yield part.value.map(read);
        }
        // Nobody waits for the rows to be written.
        close();
      } catch (error) {
        throw sourceError(error, limits);
      }
    },
    close: () => {
      close();
      return Promise.resolve();
    },
  };
}

const columnOf = ({ name, dataTypeID }: ResultField): ResultColumn => ({
  name,
  type: typeName(dataTypeID),
});

/** Turns a failure into one for the owner of the import. The message of the server stays. */
function sourceError(error: unknown, { maxRowBytes, timeoutMs }: ResultLimits): DestinationError {
  const known = postgresqlError(error);
  const { code = '', message = '' } = (known.cause ?? {}) as Partial<NodeJS.ErrnoException>;
  const options = { cause: known.cause };
  const server = message === '' ? '' : ` PostgreSQL: ${message}`;
  const failure = (what: string): DestinationError =>
    new DestinationError('configuration', what + server, options);
  if (message === TOO_MUCH) {
    const text = `A row of the result has more than ${String(maxRowBytes)} bytes. Select fewer or shorter columns.`;
    return new DestinationError('configuration', text, options);
  }
  if (code === '57014' || code === 'ETIMEDOUT') {
    const text = `The query took more than ${String(timeoutMs / 1_000)} seconds, or was canceled. Make it faster, or select fewer rows.`;
    return new DestinationError('unavailable', text, options);
  }
  if (code === '42501') {
    return failure(
      'The user lacks a right. Grant SELECT on the tables, and USAGE on their schemas.',
    );
  }
  if (code === '25006') return failure('A query of an import can only read. Remove what writes.');
  if (code === '42601') return failure('The query must be one SELECT statement. Correct it.');
  // 08P01: the query has a parameter.
  const isOfQuery = /^(42|22|21|0A|3F|34|26|08P01)/.test(code);
  return isOfQuery ? failure('The query failed. Correct it.') : known;
}
