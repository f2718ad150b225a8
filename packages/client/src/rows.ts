import { changesOf, type ChangeOptions, type ChangePage } from './changes.ts';
import { exportFile, type ExportedFile, type ExportOptions } from './export.ts';
import { importFile, type ImportOptions, type ImportSource } from './import.ts';
import type { ImportReport } from './import-report.ts';
import { type PageOptions, pagesOf } from './pages.ts';
import type {
  AggregateQuery,
  Aggregates,
  BatchResult,
  CursorPage,
  Expand,
  Operation,
  OperationResult,
  Page,
  Row,
  RowHead,
  RowQuery,
  ValueChanges,
  Values,
} from './row-types.ts';
import type { Call, CallOptions, Transport } from './transport.ts';
import { upsertAll, type UpsertAllOptions, type UpsertTotals } from './upsert-all.ts';

const MAX_PAGE_ROWS = 200;
const MINIMAL = { prefer: 'return=minimal' };

export interface RowPageOptions extends RowQuery, Expand, PageOptions {}

export interface RowListOptions extends RowQuery, CallOptions {
  /** Rows of a request, up to 200, which is the default. */
  readonly limit?: number | undefined;
}

/** Options of a change of one row. */
export interface RowWriteOptions extends CallOptions {
  /** `ETag` of the row as it was read. If the row has changed since, the call fails with 412. */
  readonly ifMatch?: string | undefined;
}

/** Options of a write with a result for each row. */
export interface ResultOptions extends CallOptions {
  /** Returns the revision of each row in place of the row. Required for results of more than 2 MiB. */
  readonly minimal?: boolean | undefined;
}

export interface BatchOptions extends ResultOptions {
  /** `atomic`: all operations or none, the default. `partial`: each by itself. */
  readonly mode?: 'atomic' | 'partial' | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  /** If more rows match, none is deleted, and the call fails with 409. */
  readonly maxAffected?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

/**
 * The rows of a datagrid. `V` is the type of values that are read, `Input` that of values of new rows and
 * of changes, and `Replacement` that of all values of a row, as `datagrid types` prints them.
 */
export class Rows<
  V extends object = Values,
  Input extends object = V,
  Replacement extends object = Input,
> {
  private readonly path: string;

  constructor(
    private readonly transport: Transport,
    datagridId: string,
  ) {
    this.path = `/datagrids/${encodeURIComponent(datagridId)}`;
  }

  /** Returns one page by its number, with the exact total. */
  page(options: RowPageOptions = {}): Promise<Page<Row<V>>> {
    const { signal, maxAttempts, ...query } = options;
    const path = `${this.path}/rows`;
    return this.transport.body({ method: 'GET', path, query: { ...query }, signal, maxAttempts });
  }

  /** Yields the pages from `page` on, by their numbers. */
  pages(options: RowPageOptions = {}): AsyncGenerator<Page<Row<V>>> {
    return pagesOf((page) => this.page({ ...options, page }), options.page);
  }

  /**
   * Yields all matching rows, with a cursor: a row whose sort values do not change is returned exactly
   * once, whatever is written in the meantime.
   */
  async *list(options: RowListOptions = {}): AsyncGenerator<Row<V>> {
    const { signal, maxAttempts, limit = MAX_PAGE_ROWS, ...query } = options;
    const path = `${this.path}/rows/query`;
    let cursor: string | null = '';
    while (cursor !== null) {
      const body: object = { ...query, limit, cursor };
      const call: Call = { method: 'POST', path, body, signal, maxAttempts };
      const page: CursorPage<Row<V>> = await this.transport.body(call);
      yield* page.data;
      cursor = page.meta.nextCursor;
    }
  }

  /** Returns one page of a query of any length, which is sent in the body. */
  find(options: RowPageOptions = {}): Promise<Page<Row<V>>> {
    const { signal, maxAttempts, ...body } = options;
    const path = `${this.path}/rows/query`;
    return this.transport.body({ method: 'POST', path, body, signal, maxAttempts });
  }

  /** Groups rows, and computes counts, sums, averages, minimums and maximums of each group. */
  aggregate(query: AggregateQuery = {}, options: CallOptions = {}): Promise<Aggregates> {
    const path = `${this.path}/rows/aggregate`;
    return this.transport.body({ ...options, method: 'POST', path, body: query });
  }

  get(id: number, options: CallOptions = {}): Promise<Row<V>> {
    return this.transport.data({ ...options, method: 'GET', path: this.pathOf(id) });
  }

  /** Returns a row with its `ETag`, for `ifMatch`. */
  async getWithEtag(
    id: number,
    options: CallOptions = {},
  ): Promise<{ readonly row: Row<V>; readonly etag: string }> {
    const call = { ...options, method: 'GET' as const, path: this.pathOf(id) };
    const { headers, text } = await this.transport.request(call);
    const { data } = JSON.parse(text) as { data: Row<V> };
    return { row: data, etag: headers.get('etag') ?? '' };
  }

  create(values: Input, options: CallOptions = {}): Promise<Row<V>> {
    const path = `${this.path}/rows`;
    return this.transport.data({ ...options, method: 'POST', path, body: { values } });
  }

  /** Creates up to 1,000 rows, all or none, and returns them without their values. */
  createMany(rows: readonly Input[], options: CallOptions = {}): Promise<readonly RowHead[]> {
    const body = { rows: rows.map((values) => ({ values })) };
    const path = `${this.path}/rows`;
    return this.transport.data({ ...options, method: 'POST', path, body, headers: MINIMAL });
  }

  /** Changes the values that are given. `null` clears a value. */
  update(id: number, values: ValueChanges<Input>, options: RowWriteOptions = {}): Promise<Row<V>> {
    return this.transport.data({
      ...this.changeOf(id, options),
      method: 'PATCH',
      body: { values },
    });
  }

  /**
   * Replaces all values. Those that are not given are cleared, but those that the service sets stay. Leave
   * out values of `lookup` and `count` columns, which a row has when it is read: with them, the call fails
   * with 400.
   */
  replace(id: number, values: Replacement, options: RowWriteOptions = {}): Promise<Row<V>> {
    return this.transport.data({ ...this.changeOf(id, options), method: 'PUT', body: { values } });
  }

  async delete(id: number, options: RowWriteOptions = {}): Promise<void> {
    await this.transport.request({ ...this.changeOf(id, options), method: 'DELETE' });
  }

  /** Deletes all rows that match, or none, and returns their number. */
  async deleteMatching(filter: object, options: DeleteOptions = {}): Promise<number> {
    const { maxAffected, dryRun, ...call } = options;
    const path = `${this.path}/rows/delete`;
    const body = { filter, maxAffected, dryRun };
    const { deleted } = await this.transport.data<{ deleted: number }>({
      ...{ ...call, method: 'POST', path, body },
    });
    return deleted;
  }

  /** Runs up to 1,000 operations in their order. */
  batch(
    operations: readonly Operation<Input, Replacement>[],
    { minimal, mode = 'atomic', dryRun, ...options }: BatchOptions = {},
  ): Promise<BatchResult<V>> {
    const body = { mode, dryRun, operations };
    const path = `${this.path}/rows/batch`;
    const headers = minimal === true ? MINIMAL : undefined;
    return this.transport.data({ ...options, method: 'POST', path, body, headers });
  }

  /** Updates the rows that match by unique columns, and creates the others; up to 1,000 rows. */
  async upsert(
    matchOn: readonly (keyof Input & string)[],
    rows: readonly ValueChanges<Input>[],
    { minimal, ...options }: ResultOptions = {},
  ): Promise<readonly OperationResult<V>[]> {
    const body = { matchOn, rows: rows.map((values) => ({ values })) };
    const headers = minimal === true ? MINIMAL : undefined;
    const path = `${this.path}/rows`;
    const call = { ...options, method: 'PUT' as const, path, body, headers };
    return (await this.transport.data<BatchResult<V>>(call)).results;
  }

  /** Upserts any number of rows, in batches within the limits of the service. */
  upsertAll(
    matchOn: readonly (keyof Input & string)[],
    rows: AsyncIterable<ValueChanges<Input>> | Iterable<ValueChanges<Input>>,
    options: UpsertAllOptions = {},
  ): Promise<UpsertTotals> {
    return upsertAll(this, matchOn, rows, options);
  }

  /** Imports a file, and returns the report when the import has completed. */
  import(source: ImportSource, options: ImportOptions): Promise<ImportReport> {
    return importFile(this.transport, this.path, source, options);
  }

  /** Starts an export of all matching rows, from one snapshot. */
  export(options: ExportOptions = {}): Promise<ExportedFile> {
    return exportFile(this.transport, this.path, options);
  }

  /** Yields the rows as they are, and then their changes. */
  changes(options: ChangeOptions = {}): AsyncGenerator<ChangePage<V>> {
    return changesOf(this.transport, this.path, options);
  }

  private pathOf(id: number): string {
    return `${this.path}/rows/${encodeURIComponent(id)}`;
  }

  private changeOf(
    id: number,
    { ifMatch, ...options }: RowWriteOptions,
  ): CallOptions & { readonly path: string; readonly headers: Readonly<Record<string, string>> } {
    const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    return { ...options, path: this.pathOf(id), headers };
  }
}
