import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AppError, unavailable } from '../../common/error/app-error';
import { datagridSchema, type DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { type Filter, parseFilter } from '../../rows/query/filter/parse-filter';
import { StoredFilter } from '../../rows/query/filter/stored-filter';
import { WebhookFilterRepository } from './webhook-filter.repository';

/** Thrown if a filter is not valid for the columns anymore. */
export class InvalidFilterError extends Error {}

/** Runs a statement of the main pool. */
export type RunStatement = <T>(statement: () => Promise<T>) => Promise<T>;

/** What to match rows with. */
export interface MatchRequest {
  readonly accountId: string;
  readonly datagridId: string;
  /** Stored filter of a webhook. */
  readonly filter: string;
  readonly rowIds: readonly number[];
  /** Whether to check the filter against the columns in any case. */
  readonly checksColumns: boolean;
}

interface Parsed {
  readonly schema: DatagridSchema;
  readonly filter: Filter;
}

const MAX_ATTEMPTS = 5;
/** Filters that are kept parsed, which takes several times the memory of their text. */
const MAX_CACHED = 1_000;
const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024;

/** Finds the rows that match the filter of a webhook. */
@Injectable()
export class RowMatcher {
  private readonly parsed = new LRUCache<string, Parsed>({
    max: MAX_CACHED,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_, filter) => filter.length,
  });

  constructor(private readonly repository: WebhookFilterRepository) {}

  /**
   * Returns the revisions of the rows that match, by their ids. Takes one statement, and another one
   * if the columns are not known or have changed.
   * @returns `null` if the datagrid was purged.
   * @throws InvalidFilterError, QueryTimeoutError, or AppError `rate_limited` or `unavailable`.
   */
  async match(
    request: MatchRequest,
    run: RunStatement,
  ): Promise<ReadonlyMap<number, number> | null> {
    const { accountId, rowIds } = request;
    if (request.checksColumns) this.parsed.delete(request.filter);
    else if (rowIds.length === 0) return new Map();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const parsed = this.parsed.get(request.filter) ?? (await run(() => this.parse(request)));
      if (!parsed || rowIds.length === 0) return parsed && new Map();
      const { schema, filter } = parsed;
      const matching = await this.repository.match(accountId, schema, filter, rowIds);
      if (matching) return matching;
      this.parsed.delete(request.filter);
    }
    throw unavailable('The columns of this datagrid keep changing. Retry later.');
  }

  private async parse({ accountId, datagridId, filter }: MatchRequest): Promise<Parsed | null> {
    const stored = new StoredFilter(filter);
    // An instance of an earlier release has changed the datagrids, and kept the filter.
    if (stored.datagridId !== datagridId) throw new InvalidFilterError();
    const found = await this.repository.findColumns(accountId, datagridId, stored.columnIds);
    if (!found) return null;
    const { version, columns } = found;
    const schema = datagridSchema(datagridId, { version, state: '' }, columns);
    const names = columns.map(({ id, key }) => ({ id, key, isRemoved: false }));
    try {
      const parsed = { schema, filter: parseFilter(schema, stored.withKeys(names)) };
      this.parsed.set(filter, parsed);
      return parsed;
    } catch (cause) {
      if (!(cause instanceof AppError)) throw cause;
      throw new InvalidFilterError('The filter is not valid for the columns.', { cause });
    }
  }
}
