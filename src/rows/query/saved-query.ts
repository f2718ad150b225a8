import { Injectable } from '@nestjs/common';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import type { Filter } from './filter/parse-filter';

/** Filter, sort order, search and columns of a saved query, for one schema. */
export interface SavedSelection {
  readonly filter: Filter;
  /** Sort order with the present keys of columns. */
  readonly sort: string | undefined;
  readonly q: string | undefined;
  /** Visible columns in the order of display; `null` if all are returned in their own order. */
  readonly fields: readonly SchemaColumn[] | null;
}

/** A query that is stored under an id, and that a request can narrow. */
export interface SavedQuery {
  /** Changes with every change of the saved query. */
  readonly version: number;
  /** Identifies its rows and their order, for cursors. */
  readonly tag: string;
  /** @throws AppError `conflict` if it does not fit the columns anymore. */
  selectionOf(schema: DatagridSchema): SavedSelection;
}

/**
 * Returns a saved query.
 * @param id Id in lower case.
 * @throws AppError `not_found`, `rate_limited` or `unavailable`.
 */
export type GetSavedQuery = (
  accountId: string,
  datagridId: string,
  id: string,
) => Promise<SavedQuery>;

/**
 * The saved queries that row queries name. The module that stores them imports this one, not the reverse,
 * so it registers itself when it starts.
 */
@Injectable()
export class SavedQueries {
  private getRegistered: GetSavedQuery | undefined;

  register(find: GetSavedQuery): void {
    this.getRegistered = find;
  }

  /**
   * Returns the saved query that a query names. A query without one runs no statement.
   * @returns `null` if the query names none.
   * @throws as `GetSavedQuery`
   */
  async find(
    accountId: string,
    datagridId: string,
    id: string | undefined,
  ): Promise<SavedQuery | null> {
    if (id === undefined) return null;
    if (!this.getRegistered) throw new Error('No module has registered saved queries.');
    return this.getRegistered(accountId, datagridId, id);
  }
}
