import { Injectable } from '@nestjs/common';
import type { Reader } from '../link/link-access';
import { LinkedFilterService } from '../link/linked-filter.service';
import { type Expansion, LinkedRowsService } from '../link/linked-rows.service';
import type { RowQuery, RowQueryWithExpand } from '../query/row-query';
import { SavedQueries, type SavedQuery } from '../query/saved-query';

/** A row query with the view that it names. */
export interface NamedQuery {
  readonly rowQuery: RowQuery;
  /** `null` if the query names none. */
  readonly view: SavedQuery | null;
}

/** A request for rows, without names of anything outside its datagrid. */
export interface RowRequest extends NamedQuery {
  /** Columns whose linked rows the response has; `null` for none. */
  readonly expansions: readonly Expansion[] | null;
}

/** Looks up what a request for rows names besides columns: a view and linked rows. */
@Injectable()
export class RowRequests {
  constructor(
    private readonly savedQueries: SavedQueries,
    private readonly linkedFilters: LinkedFilterService,
    private readonly linkedRows: LinkedRowsService,
  ) {}

  /**
   * Checks `expand`, reads the view, and replaces each `$row` condition with the ids of linked rows. A plain
   * request causes no statement.
   * @throws AppError `not_found`, `invalid_request`, `forbidden`, `query_too_expensive`, `rate_limited` or
   *   `unavailable`.
   */
  async resolve(
    reader: Reader,
    datagridId: string,
    { rowQuery, expand }: RowQueryWithExpand,
  ): Promise<RowRequest> {
    const expansions = await this.linkedRows.parse(reader, datagridId, expand, rowQuery.fields);
    const filter = await this.linkedFilters.resolve(reader, datagridId, rowQuery.filter);
    const view = await this.savedQueries.find(reader.accountId, datagridId, rowQuery.view);
    return {
      rowQuery: filter === rowQuery.filter ? rowQuery : { ...rowQuery, filter },
      view,
      expansions,
    };
  }
}
