import { Injectable } from '@nestjs/common';
import type { Reader } from '../link/link-access';
import { LinkedFilterService } from '../link/linked-filter.service';
import { type Expansion, LinkedRowsService } from '../link/linked-rows.service';
import type { RowQuery, RowQueryWithExpand } from '../query/row-query';
import { SavedQueries, type SavedQuery } from '../query/saved-query';

/** A row query with the view that it names, and ids in place of `$row` conditions. */
export interface ResolvedQuery {
  readonly rowQuery: RowQuery;
  /** `null` if the query names none. */
  readonly view: SavedQuery | null;
}

/** A row query whose view, `expand` and `$row` conditions are resolved. */
export interface RowRequest extends ResolvedQuery {
  /** Columns whose linked rows the response has; `null` for none. */
  readonly expansions: readonly Expansion[] | null;
}

/** Resolves the view, `expand` and `$row` conditions of a row query. */
@Injectable()
export class RowRequestResolver {
  constructor(
    private readonly savedQueries: SavedQueries,
    private readonly linkedFilters: LinkedFilterService,
    private readonly linkedRows: LinkedRowsService,
  ) {}

  /**
   * Checks `expand`, reads the view, and replaces each `$row` condition with the ids of linked rows. A plain
   * request is returned at once, not as a promise, which would cost every request.
   * @throws AppError `not_found`, `invalid_request`, `forbidden`, `query_too_expensive`, `rate_limited` or
   *   `unavailable`.
   */
  resolve(
    reader: Reader,
    datagridId: string,
    sent: RowQueryWithExpand,
  ): RowRequest | Promise<RowRequest> {
    const { rowQuery, expand } = sent;
    const isPlain =
      expand === undefined && rowQuery.filter === undefined && rowQuery.view === undefined;
    if (isPlain) return { rowQuery, view: null, expansions: null };
    return this.resolveParts(reader, datagridId, sent);
  }

  private async resolveParts(
    reader: Reader,
    datagridId: string,
    { rowQuery, expand }: RowQueryWithExpand,
  ): Promise<RowRequest> {
    const { filter: sent, fields, view: viewId } = rowQuery;
    const expansions =
      expand === undefined ? null : await this.linkedRows.parse(reader, datagridId, expand, fields);
    const filter =
      sent === undefined ? sent : await this.linkedFilters.resolve(reader, datagridId, sent);
    const view =
      viewId === undefined
        ? null
        : await this.savedQueries.find(reader.accountId, datagridId, viewId);
    return {
      rowQuery: filter === rowQuery.filter ? rowQuery : { ...rowQuery, filter },
      view,
      expansions,
    };
  }
}
