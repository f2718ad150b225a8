import { Injectable } from '@nestjs/common';
import type { IfNoneMatch } from '../../common/conditional/if-match';
import { notFound } from '../../common/error/app-error';
import { hasRowsAfter, type PageRequest } from '../../common/paging/page-request';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { isTooLong } from '../../platform/database/database-error';
import { DatabaseGate } from '../../platform/database/database-gate';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import { encodeCursor } from '../query/cursor';
import { pageTooLarge, queryTimeoutError } from '../query/query-errors';
import { type ComputedRequest, queryRequest, type QueryRequest } from '../query/query-request';
import { rowQueryEtag } from '../query/row-query';
import { SchemaBoundRead } from '../query/schema-bound-read';
import { rowEtag } from '../storage/row-json-sql';
import { type RowVersion, RowVersionRepository } from '../storage/row-version.repository';
import { RowRepository, type RowPageText } from '../row.repository';
import { type FoundPage, QueryPageRepository } from './query-page.repository';
import type { RowPlan } from './row-plan';
import type { ResolvedQuery } from './row-request';

/** Computed columns to add to rows, with the columns of their datagrid. */
export interface ComputedColumns extends ComputedRequest {
  readonly schema: DatagridSchema;
}

/** Rows as they are stored. */
export interface FoundRows {
  /** A JSON array. */
  readonly json: string;
  /** Strong ETag, including the quotes. */
  readonly etag: string;
  /** `null` if no computed column is read. */
  readonly computed: ComputedColumns | null;
}

export interface FoundRowPage extends FoundRows {
  readonly count: number;
  /** Number of rows of the whole list, from the same snapshot. */
  readonly total: number;
  /** Cursor that continues after the last row; `null` if none follow. Absent if no cursor can continue. */
  readonly nextCursor: string | null | undefined;
}

/** Reads the rows of a plan. */
@Injectable()
export class RowReader {
  constructor(
    private readonly config: AppConfig,
    private readonly positions: RowRepository,
    private readonly queries: QueryPageRepository,
    private readonly schemaBoundRead: SchemaBoundRead,
    private readonly versions: RowVersionRepository,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * Returns the ETag if `If-None-Match` names the current version, without reading rows; `null` otherwise.
   * Rejects an invalid query even then.
   * @throws as `read`
   */
  async findKnown(
    accountId: string,
    datagridId: string,
    plan: RowPlan,
    ifNoneMatch: IfNoneMatch,
  ): Promise<string | null> {
    if (plan.kind === 'query') {
      const { rowQuery, view } = plan.query;
      queryRequest(await this.schemaBoundRead.current(accountId, datagridId), rowQuery, view);
    }
    const version = await this.gate.run(accountId, () => this.versions.find(accountId, datagridId));
    if (!version) throw notFound('Datagrid');
    const etag = etagOf(plan, version);
    return ifNoneMatch.find(etag) === undefined ? null : etag;
  }

  /**
   * @throws AppError `not_found`, `invalid_request` with the path of the invalid part,
   *   `query_too_expensive`, `rate_limited` or `unavailable`.
   */
  read(accountId: string, datagridId: string, plan: RowPlan): Promise<FoundRowPage> {
    switch (plan.kind) {
      case 'position':
        return this.readByPosition(accountId, datagridId, plan.page);
      case 'query':
        return this.schemaBoundRead.run(accountId, datagridId, (schema) =>
          this.readByQuery(accountId, schema, plan.query),
        );
    }
  }

  /** Reads one row. @throws AppError `not_found` */
  async readOne(accountId: string, datagridId: string, rowId: number): Promise<FoundRows> {
    const row = await this.positions.findOne(accountId, datagridId, rowId);
    if (!row) throw notFound('Row');
    const { revision, schemaVersion } = row;
    const computed = row.hasComputed
      ? await this.allComputed(accountId, datagridId, schemaVersion)
      : null;
    return { json: `[${row.json}]`, etag: rowEtag(revision, schemaVersion), computed };
  }

  private async readByPosition(
    accountId: string,
    datagridId: string,
    page: PageRequest,
  ): Promise<FoundRowPage> {
    let found: RowPageText | null;
    try {
      found = await this.positions.find(accountId, datagridId, page, this.config.maxPageBytes);
    } catch (error) {
      throw isTooLong(error) || error instanceof QueryTimeoutError ? pageTooLarge() : error;
    }
    if (!found) throw notFound('Datagrid');
    const { json, count, total, lastId, revision, schemaVersion, hasComputed } = found;
    if (json === null) throw pageTooLarge();
    const nextCursor =
      lastId === null || !hasRowsAfter(page, total, count)
        ? null
        : encodeCursor(datagridId, [], { rowId: lastId, values: [] }, null);
    const computed = hasComputed
      ? await this.allComputed(accountId, datagridId, schemaVersion)
      : null;
    return { json, count, total, etag: rowEtag(revision, schemaVersion), nextCursor, computed };
  }

  /** Returns all computed columns, at the version at which rows were read. */
  private async allComputed(
    accountId: string,
    datagridId: string,
    schemaVersion: number,
  ): Promise<ComputedColumns> {
    const schema = await this.schemaBoundRead.at(accountId, datagridId, schemaVersion);
    return { schema, columns: [...schema.computed.values()], addedKeys: [] };
  }

  /** @returns `null` if the columns are no longer those of `schema`, or the datagrid is deleted. */
  private async readByQuery(
    accountId: string,
    schema: DatagridSchema,
    query: ResolvedQuery,
  ): Promise<FoundRowPage | null> {
    const request = queryRequest(schema, query.rowQuery, query.view);
    const { maxPageBytes } = this.config;
    const found = await this.queries
      .find(accountId, schema, request, maxPageBytes)
      .catch((error: unknown) => {
        if (isTooLong(error)) throw pageTooLarge();
        throw error instanceof QueryTimeoutError ? queryTimeoutError(request, error) : error;
      });
    if (!found) return null;
    const { json, count, total } = found;
    if (json === null) throw pageTooLarge();
    const isNumbered = request.pagination.kind === 'page';
    const hasCursor = !isNumbered || request.sort.length === 0;
    return {
      json,
      count,
      total,
      etag: rowQueryEtag(found, etagInput(query)),
      nextCursor: hasCursor ? nextCursor(schema, request, found) : undefined,
      computed: request.computed.columns.length > 0 ? { schema, ...request.computed } : null,
    };
  }
}

function nextCursor(
  { datagridId }: DatagridSchema,
  { sort, viewTag }: QueryRequest,
  { next }: FoundPage,
): string | null {
  if (next === null) return null;
  const [rowId, ...values] = next;
  return encodeCursor(datagridId, sort, { rowId, values }, viewTag);
}

function etagOf(plan: RowPlan, version: RowVersion): string {
  const { revision, schemaVersion } = version;
  if (plan.kind === 'position') return rowEtag(revision, schemaVersion);
  return rowQueryEtag(version, etagInput(plan.query));
}

/** Returns the part of a query that the ETag of its response covers. */
export function etagInput({ rowQuery, view }: ResolvedQuery): object {
  return view ? { ...rowQuery, version: view.version } : rowQuery;
}
