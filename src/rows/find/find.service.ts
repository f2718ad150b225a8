import { Injectable } from '@nestjs/common';
import type { IfNoneMatch } from '../../common/conditional/if-none-match';
import { CursorPage } from '../../common/envelope/cursor-page';
import { JsonPage } from '../../common/envelope/json-page';
import type { NotModified } from '../../common/envelope/not-modified';
import { unavailable } from '../../common/error/app-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../../platform/config/app-config';
import { BudgetExceededError } from '../../platform/database/budgeted-queries';
import { pageTooLarge, refuseTooLong } from '../read/page-too-large';
import { VersionCheck } from '../read/version-check';
import { encodeCursor } from './cursor/cursor';
import { findRequest, type FindRequest } from './find-request';
import { FindRepository, type Found } from './find.repository';
import { queryOutOfTime } from './out-of-time';
import type { RowQuery } from './row-query';
import { rowQueryEtag } from './row-query-etag';

const MAX_ATTEMPTS = 5;

/** Queries rows of a datagrid by their values. */
@Injectable()
export class FindService {
  constructor(
    private readonly config: AppConfig,
    private readonly schemas: DatagridSchemaService,
    private readonly repository: FindRepository,
    private readonly versions: VersionCheck,
  ) {}

  /**
   * Returns a page with its total or, if the query has a cursor, the rows after it.
   * @throws AppError `not_found`, `invalid_request` with the path of the invalid part, or
   *   `query_too_expensive`.
   */
  async find(
    accountId: string,
    datagridId: string,
    rowQuery: RowQuery,
  ): Promise<JsonPage | CursorPage> {
    const find = (schema: DatagridSchema): Promise<JsonPage | CursorPage | null> =>
      this.findWith(accountId, schema, rowQuery);
    const quick = await this.schemas.tryRecent(accountId, datagridId, find);
    if (quick) return quick;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await find(await this.schemas.get(accountId, datagridId));
      if (found) return found;
    }
    throw unavailable('The columns of this datagrid keep changing. Retry later.');
  }

  /**
   * Returns the same as `find`, or `NotModified` if the client already has the response. In that
   * case no rows are read. An invalid query is rejected in any case.
   * @param knownTags `If-None-Match` of the request.
   * @throws as `find`
   */
  async findUnlessKnown(
    accountId: string,
    datagridId: string,
    rowQuery: RowQuery,
    knownTags: IfNoneMatch | undefined,
  ): Promise<JsonPage | CursorPage | NotModified> {
    if (knownTags !== undefined)
      findRequest(await this.schemas.get(accountId, datagridId), rowQuery);
    const known = await this.versions.notModified(accountId, datagridId, knownTags, (version) =>
      rowQueryEtag(version, rowQuery),
    );
    return known ?? this.find(accountId, datagridId, rowQuery);
  }

  /** @returns `null` if the columns are no longer those of `schema`, or the datagrid is gone. */
  private async findWith(
    accountId: string,
    schema: DatagridSchema,
    rowQuery: RowQuery,
  ): Promise<JsonPage | CursorPage | null> {
    const request = findRequest(schema, rowQuery);
    try {
      const found = await refuseTooLong(() =>
        this.repository.find(accountId, schema, request, this.config.maxPageBytes),
      );
      return found && answer(request, found, rowQuery);
    } catch (error) {
      throw error instanceof BudgetExceededError ? queryOutOfTime(request, error) : error;
    }
  }
}

function answer(
  { sort, place }: FindRequest,
  found: Found,
  rowQuery: RowQuery,
): JsonPage | CursorPage {
  const etag = rowQueryEtag(found, rowQuery);
  const { json, count, total, next } = found;
  if (json === null) throw pageTooLarge();
  if (place.kind === 'page') return new JsonPage(json, count, total, place.request, etag);
  const [rowId, ...values] = next ?? [0];
  const nextCursor = next && encodeCursor(sort, { rowId, values });
  return new CursorPage(json, count, nextCursor, etag);
}
