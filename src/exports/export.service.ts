import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import { invalidField, unavailable } from '../common/error/app-error';
import { newId } from '../common/text/id';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../platform/config/app-config';
import { QueryTimeoutError } from '../platform/database/query-pool';
import type { SnapshotConnection } from '../platform/database/snapshot-connection';
import { OutputTimeBudget } from '../platform/database/database';
import { StreamedResponse } from '../platform/http/streamed-response';
import { queryRequest, type QueryRequest } from '../rows/query/query-request';
import { queryTimeoutError } from '../rows/query/query-errors';
import { isEveryRow } from '../rows/query/filter/parse-filter';
import { etagInput } from '../rows/read/row-reader';
import { rowQueryEtag } from '../rows/query/row-query';
import { SavedQueries, type SavedQuery } from '../rows/query/saved-query';
import { StreamWatch } from '../rows/stream/stream-watch';
import { ExportMetrics, type ExportPermit, ExportPermits } from './export-permits';
import { DELIMITERS } from '../rows/values/delimiter';
import { type LinkKey, readLinkKeys } from '../rows/link/link-key';
import {
  EXPORT_TRAILERS,
  exportRequest,
  type ExportRequest,
  RowExport,
  type RowExportEnd,
} from './export-request';
import { ExportRepository, type PrintedExport, type RowSnapshot } from './export.repository';

const MAX_ATTEMPTS = 5;

/** An export that is ready to be sent. */
interface Prepared {
  readonly schema: DatagridSchema;
  readonly request: QueryRequest;
  readonly snapshot: RowSnapshot;
  readonly linkKeys: readonly LinkKey[];
  readonly view: SavedQuery | null;
}

/** Exports all rows that match a query as one file, from one snapshot. */
@Injectable()
export class ExportService {
  constructor(
    private readonly config: AppConfig,
    private readonly schemas: DatagridSchemaService,
    private readonly repository: ExportRepository,
    private readonly permits: ExportPermits,
    private readonly metrics: ExportMetrics,
    private readonly watch: StreamWatch,
    private readonly savedQueries: SavedQueries,
  ) {}

  /**
   * Starts an export. Errors in the query are reported before anything is sent.
   * @throws AppError `not_found`, `invalid_request` with the path of the invalid field,
   *   `query_too_expensive`, `rate_limited` if the account has used its share of exports, or
   *   `unavailable`.
   */
  async export(
    caller: Caller,
    datagridId: string,
    query: Readonly<Record<string, unknown>>,
  ): Promise<StreamedResponse> {
    const { accountId } = caller;
    const asked = exportRequest(query);
    const view = await this.savedQueries.find(accountId, datagridId, asked.rowQuery.view);
    const schema = await this.schemas.get(accountId, datagridId);
    queryRequest(schema, asked.rowQuery, view, true);
    await this.linkKeys(asked, caller, schema);
    const permit = await this.permits.acquire(accountId);
    const watched = this.watch.start({ caller, permission: 'rows:read', datagridId }, permit.end);
    let connection: SnapshotConnection | undefined;
    const release = (): void => {
      connection?.close();
      watched.stop();
      permit.release();
    };
    try {
      connection = await this.repository.connect();
      const prepared = await this.prepare(connection, caller, datagridId, asked, view);
      return this.response(prepared, asked, permit, (outcome, rows) => {
        this.metrics.end(outcome, rows);
        release();
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  private async prepare(
    connection: SnapshotConnection,
    caller: Caller,
    datagridId: string,
    asked: ExportRequest,
    view: SavedQuery | null,
  ): Promise<Prepared> {
    const { accountId } = caller;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const schema = await this.schemas.get(accountId, datagridId);
      const request = queryRequest(schema, asked.rowQuery, view, true);
      const linkKeys = await this.linkKeys(asked, caller, schema);
      const snapshot = await this.repository.findSnapshot(connection, accountId, schema, request);
      if (snapshot && linkKeys.length > 0 && snapshot.version.isDistributed) {
        const message = 'is not supported on Citus; export IDs';
        throw invalidField('linkKeys', 'incompatible_parameters', message);
      }
      // The snapshot can be later than the check: links to rows without a key must not be lost.
      if (snapshot) await this.linkKeys(asked, caller, schema);
      if (snapshot) return { schema, request, snapshot, linkKeys, view };
    }
    throw unavailable('The columns of this datagrid keep changing. Retry later.');
  }

  private linkKeys(
    { linkKeys }: ExportRequest,
    caller: Caller,
    schema: DatagridSchema,
  ): Promise<LinkKey[]> {
    return readLinkKeys(linkKeys, caller, schema, this.schemas, true);
  }

  private response(
    { schema, request, snapshot, linkKeys, view }: Prepared,
    asked: ExportRequest,
    permit: ExportPermit,
    release: RowExportEnd,
  ): StreamedResponse {
    const { print, style, endLine } = asked;
    const rowQuery = etagInput({ rowQuery: asked.rowQuery, view });
    const lines = (): AsyncGenerator<Buffer, number> =>
      this.lines(snapshot, request, { ...asked, linkKeys });
    const onRead = (): void => {
      snapshot.close();
      permit.releaseDatabase();
    };
    const header = headerOf(schema, request, asked);
    const source = new RowExport(header, endLine, lines, onRead, release);
    return new StreamedResponse(source, {
      contentType:
        print === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson',
      etag: rowQueryEtag(snapshot.version, {
        print,
        rowQuery,
        ...(print === 'csv' && { style }),
        ...(endLine && { endLine }),
        // The keys can change with any linked row.
        ...(linkKeys.length > 0 && { nonce: newId() }),
      }),
      trailers: EXPORT_TRAILERS,
      spoolRoom: permit.spoolRoom,
      signal: permit.signal,
      pace: this.config,
    });
  }

  /**
   * Yields the lines of the export. An export of all rows has only the time limit of exports. One
   * with a filter, a search or a sort also has a work budget, `exportQueryTimeoutSeconds`.
   */
  private async *lines(
    snapshot: RowSnapshot,
    request: QueryRequest,
    asked: PrintedExport,
  ): AsyncGenerator<Buffer, number> {
    const { filter, search, sort } = request;
    const isWhole = isEveryRow(filter) && search === null && sort.length === 0;
    const budget = isWhole
      ? undefined
      : new OutputTimeBudget(this.config.exportQueryTimeoutSeconds * 1000);
    try {
      return yield* snapshot.lines(asked, budget);
    } catch (error) {
      throw error instanceof QueryTimeoutError ? queryTimeoutError(request, error) : error;
    }
  }
}

/** Returns the CSV header; empty for JSON. Column keys need no quotes and cannot be formulas. */
function headerOf(
  schema: DatagridSchema,
  { fields }: QueryRequest,
  { print, style: { delimiter, bom } }: ExportRequest,
): string {
  if (print !== 'csv') return '';
  const columns = fields ?? [...schema.columns.values()];
  const keys = columns.map(({ key }) => key).join(DELIMITERS[delimiter]);
  return `${bom ? '\uFEFF' : ''}${keys}\n`;
}
