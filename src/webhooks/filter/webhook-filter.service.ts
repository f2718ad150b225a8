import { Injectable } from '@nestjs/common';
import { invalidField } from '../../common/error/app-error';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { parseFilter } from '../../rows/query/filter/parse-filter';
import { requireAffordable } from '../../rows/query/filter/query-cost';
import { type FilterJson, StoredFilter } from '../../rows/query/filter/stored-filter';
import { WebhookFilterRepository } from './webhook-filter.repository';

/** Maximum length of a filter as JSON. It is read whenever a lane is claimed. */
const MAX_FILTER_BYTES = 64 * 1024;

const DATAGRID_MESSAGE =
  'requires datagridIds with exactly one datagrid, whose columns it names; set datagridIds, or set filter to null';

/** A webhook with the text of its filter. */
export interface Filtered {
  readonly id: string;
  readonly filter: string | null;
}

/** Checks filters of webhooks, and returns them with the present keys of columns. */
@Injectable()
export class WebhookFilterService {
  constructor(
    private readonly schemas: DatagridSchemaService,
    private readonly repository: WebhookFilterRepository,
  ) {}

  /**
   * Checks a filter, and returns the text to store.
   * @param datagridIds Datagrids of the webhook, which the caller has checked.
   * @throws AppError `invalid_request`, or `query_too_expensive` as for a query.
   */
  async check(
    accountId: string,
    datagridIds: readonly string[] | null,
    filter: FilterJson,
  ): Promise<string> {
    const [datagridId, ...others] = datagridIds ?? [];
    if (datagridId === undefined || others.length > 0) {
      throw invalidField('filter', 'incompatible_parameters', DATAGRID_MESSAGE);
    }
    if (Buffer.byteLength(JSON.stringify(filter)) > MAX_FILTER_BYTES) {
      const message = `must not be longer than ${String(MAX_FILTER_BYTES)} bytes of JSON`;
      throw invalidField('filter', 'too_large', message);
    }
    const schema = await this.schemas.get(accountId, datagridId);
    requireAffordable(parseFilter(schema, filter));
    return StoredFilter.textOf(schema, filter);
  }

  /** Returns the filters of webhooks by the ids of the webhooks; none for those without. */
  async print(webhooks: readonly Filtered[]): Promise<ReadonlyMap<string, FilterJson>> {
    const filters = webhooks.flatMap(({ id, filter }) =>
      filter === null ? [] : [{ id, filter: new StoredFilter(filter) }],
    );
    if (filters.length === 0) return new Map();
    const names = await this.repository.listNames(
      [...new Set(filters.map(({ filter }) => filter.datagridId))],
      [...new Set(filters.flatMap(({ filter }) => filter.columnIds))],
    );
    return new Map(
      filters.map(({ id, filter }) => {
        const columns = names.filter(({ datagridId }) => datagridId === filter.datagridId);
        return [id, filter.withKeys(columns)];
      }),
    );
  }
}
