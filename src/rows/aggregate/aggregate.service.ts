import { Injectable } from '@nestjs/common';
import { JsonResponse } from '../../common/envelope/json-response';
import { invalidField, invalidRequest } from '../../common/error/app-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { isTooLong } from '../../platform/database/database-error';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import { LinkedFilterService } from '../link/linked-filter.service';
import type { Reader } from '../link/link-access';
import { queryTimeoutError } from '../query/query-errors';
import { rowQueryEtag, searchErrors } from '../query/row-query';
import { SchemaBoundRead } from '../query/schema-bound-read';
import { SavedQueries, type SavedQuery } from '../query/saved-query';
import { aggregateRequest } from './aggregate-request';
import { AggregateRepository } from './aggregate.repository';
import { AggregateRowsDto } from './dto/aggregate.dto';

/** Groups rows of a datagrid and computes values of each group. */
@Injectable()
export class AggregateService {
  constructor(
    private readonly config: AppConfig,
    private readonly schemaBoundRead: SchemaBoundRead,
    private readonly savedQueries: SavedQueries,
    private readonly repository: AggregateRepository,
    private readonly linkedFilters: LinkedFilterService,
  ) {}

  /**
   * Returns the groups in order, as text that PostgreSQL has printed.
   * @throws AppError `not_found`, `invalid_request` with the path of the invalid part, `forbidden`,
   *   `query_too_expensive`, `conflict` if the view does not fit the columns, `rate_limited` or
   *   `unavailable`.
   */
  async aggregate(
    reader: Reader,
    datagridId: string,
    sent: AggregateRowsDto,
  ): Promise<JsonResponse> {
    const problems = sent.q === undefined ? [] : searchErrors(sent.q);
    if (problems.length > 0) throw invalidRequest(problems);
    const { accountId } = reader;
    const body = await this.withLinkedIds(reader, datagridId, sent);
    const view = await this.savedQueries.find(accountId, datagridId, body.view?.toLowerCase());
    return this.schemaBoundRead.run(accountId, datagridId, (schema) =>
      this.aggregateWith(accountId, schema, body, view),
    );
  }

  /** Returns the request with the ids of linked rows in place of each `$row` condition. */
  private async withLinkedIds(
    reader: Reader,
    datagridId: string,
    body: AggregateRowsDto,
  ): Promise<AggregateRowsDto> {
    const filter = await this.linkedFilters.resolve(reader, datagridId, body.filter);
    return filter === body.filter ? body : Object.assign(new AggregateRowsDto(), body, { filter });
  }

  /** @returns `null` if the columns are no longer those of `schema`, or the datagrid is deleted. */
  private async aggregateWith(
    accountId: string,
    schema: DatagridSchema,
    body: AggregateRowsDto,
    view: SavedQuery | null,
  ): Promise<JsonResponse | null> {
    const request = aggregateRequest(schema, body, view);
    try {
      const maxBytes = this.config.maxPageBytes;
      const found = await this.repository.find(accountId, schema, request, maxBytes);
      if (!found) return null;
      if (found.json === null) throw groupsTooLarge();
      const etag = rowQueryEtag(found, { body, version: view?.version });
      return JsonResponse.printed(found.json, { etag, meta: { total: found.total } });
    } catch (error) {
      if (isTooLong(error)) throw groupsTooLarge();
      if (!(error instanceof QueryTimeoutError)) throw error;
      throw queryTimeoutError({ ...request, sort: [] }, error);
    }
  }
}

function groupsTooLarge(): Error {
  const message = 'returns too much data for values of this size; use a smaller limit';
  return invalidField('limit', 'too_large', message);
}
