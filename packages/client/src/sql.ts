import { checkedFile, type ExportedFile } from './export.ts';
import { itemsOf, type PageOptions, pagesOf } from './pages.ts';
import type { Page } from './row-types.ts';
import type { CallOptions, Transport } from './transport.ts';

/** Value of a parameter of a statement. */
export type SqlParameter = string | number | boolean | null;

export interface SqlOptions extends Pick<CallOptions, 'signal' | 'maxAttempts'> {
  /** Values of the parameters: an array for `?` and `$1`, or an object for `$name`. */
  readonly parameters?:
    | readonly SqlParameter[]
    | Readonly<Record<string, SqlParameter>>
    | undefined;
  /** Maximum number of rows. */
  readonly limit?: number | undefined;
}

export interface SqlFileOptions extends SqlOptions {
  /** `ndjson` by default. */
  readonly format?: 'csv' | 'ndjson' | undefined;
}

/** A row by the names of the columns of the result. */
export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlResult<R extends object = SqlRow> {
  readonly data: readonly R[];
  readonly meta: {
    /** Columns of the result in order, with types of DuckDB such as `BIGINT`. */
    readonly columns: readonly { readonly name: string; readonly type: string }[];
    /** Revision of each datagrid that was read, by the name of its table. */
    readonly revisions: Readonly<Record<string, number>>;
    /** Whether the result has more rows than `data`. */
    readonly truncated: boolean;
  };
}

/** A table that statements can read. */
export interface SqlTable {
  readonly name: string;
  readonly datagridId: string;
  readonly datagridName: string;
}

/** SQL over the datagrids of a workspace. A statement is one SELECT in the dialect of DuckDB. */
export class Sql {
  private readonly path: string;

  constructor(
    private readonly transport: Transport,
    workspaceId: string,
  ) {
    this.path = `/workspaces/${encodeURIComponent(workspaceId)}/sql`;
  }

  /** Yields all tables that statements can read. */
  tables(options: PageOptions = {}): AsyncGenerator<SqlTable> {
    const { signal, maxAttempts, limit = 200, page: first } = options;
    const path = `${this.path}/tables`;
    const read = (page: number): Promise<Page<SqlTable>> =>
      this.transport.body({
        ...{ method: 'GET', path, query: { page, limit }, signal, maxAttempts },
      });
    return itemsOf(pagesOf(read, first));
  }

  /** Returns up to `limit` rows: 1,000 by default, and 10,000 at most. */
  query<R extends object = SqlRow>(sql: string, options: SqlOptions = {}): Promise<SqlResult<R>> {
    const { parameters, limit, ...call } = options;
    const body = { sql, parameters, limit };
    return this.transport.body({ ...call, method: 'POST', path: this.path, body });
  }

  /**
   * Yields all rows as they arrive. Retries only until the first one.
   * @throws ConnectionError if the result ends early. Then discard what you have read.
   */
  async *rows<R extends object = SqlRow>(
    sql: string,
    options: SqlOptions = {},
  ): AsyncGenerator<R, undefined> {
    const { body } = await this.file(sql, { ...options, format: 'ndjson' });
    for await (const line of linesOf(body)) yield JSON.parse(line) as R;
    return undefined;
  }

  /** Starts a file of all rows. Retries only until the file begins. */
  file(sql: string, options: SqlFileOptions = {}): Promise<ExportedFile> {
    const { format, parameters, limit, ...others } = options;
    const text = JSON.stringify({ sql, parameters, limit, endLine: true });
    const accept = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const call = {
      method: 'POST' as const,
      path: this.path,
      headers: { 'content-type': 'application/json', accept },
      openBody: () => text,
      timeoutMs: null,
      ...others,
    };
    return this.transport.send(call, (response) =>
      Promise.resolve(checkedFile(response, 'result', options.signal)),
    );
  }
}

/** Yields the lines of a file, and cancels it if they are not read to the end. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let parts: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const [first = '', ...others] = decoder.decode(value, { stream: true }).split('\n');
      parts.push(first);
      for (const next of others) {
        yield parts.join('');
        parts = [next];
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
